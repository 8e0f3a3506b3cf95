// No-op tasks in Go, four at once: tasks a second.
//
//	noop channel COUNT     four workers that read a channel with room for 64 tasks. Once each worker
//	                       puts a task that it has run back, until COUNT are done, which is the
//	                       shape of ours; once another goroutine fills the channel. The faster counts
//	noop semaphore COUNT   a goroutine for each task, behind a semaphore for four
//
// The workers' way to know that all is done is the cheapest there is: the channel is closed, each
// worker counts for itself, and a WaitGroup awaits the workers, not the tasks.
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	places = 4
	pool   = 64
	warmUp = 100000
)

type task func()

func noop() {}

// Starts four workers that run what comes from tasks, and call after (or not, if it is nil) with each
// task that was run. Returns a function that awaits them and says how many tasks that were.
func workers(tasks chan task, after func(task)) func() int {
	var all sync.WaitGroup
	var done int64
	for w := 0; w < places; w++ {
		all.Add(1)
		go func() {
			defer all.Done()
			var mine int64
			for t := range tasks {
				t()
				mine++
				if after != nil {
					after(t)
				}
			}
			atomic.AddInt64(&done, mine)
		}()
	}
	return func() int {
		all.Wait()
		return int(done)
	}
}

func recycle(count int) int {
	tasks := make(chan task, pool)
	left := int64(count)
	wait := workers(tasks, func(t task) {
		switch now := atomic.AddInt64(&left, -1); {
		case now >= pool:
			tasks <- t
		case now == 0:
			close(tasks)
		}
	})
	for i := 0; i < pool; i++ {
		tasks <- noop
	}
	return wait()
}

func producer(count int) int {
	tasks := make(chan task, pool)
	wait := workers(tasks, nil)
	for i := 0; i < count; i++ {
		tasks <- noop
	}
	close(tasks)
	return wait()
}

func semaphore(count int) int {
	places := make(chan struct{}, places)
	var all sync.WaitGroup
	var done int64
	all.Add(count)
	for i := 0; i < count; i++ {
		places <- struct{}{}
		go func() {
			noop()
			atomic.AddInt64(&done, 1)
			<-places
			all.Done()
		}()
	}
	all.Wait()
	return int(done)
}

// Tasks a second.
func measure(run func(int) int, count int) float64 {
	run(warmUp)
	begun := time.Now()
	done := run(count)
	took := time.Since(begun)
	if done != count {
		fmt.Fprintln(os.Stderr, "noop: not every task was done")
		os.Exit(1)
	}
	return float64(count) / took.Seconds()
}

func main() {
	if len(os.Args) != 3 {
		usage()
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil || count < pool {
		usage()
	}
	switch os.Args[1] {
	case "channel":
		fmt.Printf("%.0f\n", math.Max(measure(recycle, count), measure(producer, count)))
	case "semaphore":
		fmt.Printf("%.0f\n", measure(semaphore, count))
	default:
		usage()
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: noop channel|semaphore COUNT; COUNT is", pool, "or more")
	os.Exit(2)
}
