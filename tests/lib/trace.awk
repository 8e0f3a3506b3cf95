# A trace as the recorder writes it, of a crawl that never was: the same for the same numbers.
#
#   awk -v pages=100 -v slots=8 -f tests/lib/trace.awk >trace.json
#
# Each page is looked up, connected to, read, parsed on a pool thread and saved: 6 operations, about
# 33 events. It is simulated: callbacks of the loop never overlap, each begins what comes next.
# Every 40th lookup takes 300 ms, every 150th parse callback blocks the loop for 25 ms, every 60th
# page leaves a stream open. lost=N claims that so many events were lost.
function random() {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
}
function emit(text) {
    lines[++events] = text
}
function begun(type, group, id, parent, site, extra) {
    emit(sprintf("{\"ph\":\"b\",\"pid\":77,\"tid\":77,\"ts\":%.3f,\"cat\":\"%s\",\"name\":\"%s\",\"id\":\"0x%x\",\"args\":{\"parent\":\"0x%x\",\"site\":\"%s\"%s}}",
        now, group, type, id, parent, site, extra))
    if (!extra)
        emit(sprintf("{\"ph\":\"s\",\"pid\":77,\"tid\":77,\"ts\":%.3f,\"cat\":\"cause\",\"name\":\"begun\",\"id\":\"0x%x\"}", now, id))
    open++
}
function ended(type, group, id, status) {
    emit(sprintf("{\"ph\":\"e\",\"pid\":77,\"tid\":77,\"ts\":%.3f,\"cat\":\"%s\",\"name\":\"%s\",\"id\":\"0x%x\",\"args\":{\"status\":%s}}",
        now, group, type, id, status))
    open--
}
# A callback from `from` until now.
function ran(type, group, id, from, entry, status) {
    emit(sprintf("{\"ph\":\"X\",\"pid\":77,\"tid\":77,\"ts\":%.3f,\"dur\":%.3f,\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"id\":\"0x%x\",\"entry\":\"%s\",\"status\":%s,\"outcome\":0}}",
        from, now - from, group, type, id, entry, status))
    emit(sprintf("{\"ph\":\"f\",\"bp\":\"e\",\"pid\":77,\"tid\":77,\"ts\":%.3f,\"cat\":\"cause\",\"name\":\"begun\",\"id\":\"0x%x\"}", from, id))
    ended(type, group, id, status)
}
function pool(type, id, from, length_us, thread) {
    emit(sprintf("{\"ph\":\"X\",\"pid\":77,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"cat\":\"thread\",\"name\":\"%s\",\"args\":{\"id\":\"0x%x\",\"work\":true}}",
        thread, from, length_us, type, id))
}
# Whole nanoseconds, so that what is printed adds up.
function whole(us) {
    return int(us * 1000 + 0.5) / 1000
}
function spend(us) {
    now = whole(now + us * (0.5 + random()))
}
function start_page(slot) {
    page[slot] = ++ids
    number[slot] = ++page_count
    begun("page", "user", page[slot], crawl, "apps/spider/load.c:41 page_begin")
    spend(2)
    fetch[slot] = ++ids
    begun("fetch", "http", fetch[slot], page[slot], "apps/spider/page.c:88 page_load")
    spend(2)
    op[slot] = ++ids
    begun("dns_lookup", "dns", op[slot], fetch[slot], "src/http/client/connect.c:120 client_resolve")
    step[slot] = 1
    due[slot] = now + (number[slot] % 40 == 7 ? 300000 : 200 + 900 * random())
}
function advance(slot,   from, status) {
    if (due[slot] > now)
        now = whole(due[slot])
    from = now
    status = number[slot] % 90 == 50 && step[slot] == 3 ? "\"ETIMEDOUT\"" : "0"
    spend(6)
    if (step[slot] == 1) {
        old = op[slot]
        op[slot] = ++ids
        begun("connect", "net", op[slot], fetch[slot], "src/http/client/connect.c:160 client_connect")
        if (number[slot] % 60 == 30)
            begun("stream", "net", ++ids, fetch[slot], "src/http/client/pool.c:77 pool_take", ",\"handle\":true")
        spend(4)
        ran("dns_lookup", "dns", old, from, "client_resolved", status)
        due[slot] = now + 300 + 400 * random()
    } else if (step[slot] == 2) {
        old = op[slot]
        op[slot] = ++ids
        begun("read", "net", op[slot], fetch[slot], "src/http/client/answer.c:52 answer_read")
        spend(5)
        ran("connect", "net", old, from, "client_connected", status)
        due[slot] = now + 900 + 3000 * random() * random()
    } else if (step[slot] == 3) {
        spend(20)
        ran("read", "net", op[slot], from, "answer_came", status)
        from = now
        op[slot] = ++ids
        begun("work", "thread", op[slot], page[slot], "apps/spider/reader.c:140 reader_begin")
        spend(8)
        ran("fetch", "http", fetch[slot], from, "page_fetched", status)
        took = whole(300 + 1500 * random())
        start = now + 10
        thread = 0
        if (busy[1] < busy[0])
            thread = 1
        if (busy[thread] > start)
            start = busy[thread]
        busy[thread] = whole(start + took)
        pool("work", op[slot], start, took, 90 + thread)
        due[slot] = start + took + 5
    } else if (step[slot] == 4) {
        old = op[slot]
        op[slot] = ++ids
        begun("file_save", "fs", op[slot], page[slot], "apps/spider/save.c:31 save_begin")
        if (number[slot] % 150 == 149)
            now += 25000
        spend(40)
        ran("work", "thread", old, from, "page_parsed", status)
        due[slot] = now + 200 + 600 * random()
    } else {
        ran("file_save", "fs", op[slot], from, "page_saved", status)
        from = now
        spend(5)
        ran("page", "user", page[slot], from, "crawl_paged", status)
        step[slot] = 0
        due[slot] = 1e15
        if (page_count < pages)
            start_page(slot)
        return
    }
    step[slot]++
}
BEGIN {
    if (!pages)
        pages = 100
    if (!slots)
        slots = 8
    seed = 4711
    ids = 16777216
    now = 12
    busy[0] = busy[1] = 0
    emit("{\"ph\":\"M\",\"pid\":77,\"tid\":77,\"ts\":0,\"name\":\"process_name\",\"args\":{\"name\":\"weft\"}}")
    emit("{\"ph\":\"M\",\"pid\":77,\"tid\":77,\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":\"loop\"}}")
    emit("{\"ph\":\"M\",\"pid\":77,\"tid\":90,\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":\"pool 1\"}}")
    emit("{\"ph\":\"M\",\"pid\":77,\"tid\":91,\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":\"pool 2\"}}")
    loop = ++ids
    begun("loop", "user", loop, 0, "apps/spider/spider.c:212 spider_run", ",\"handle\":true")
    crawl = ++ids
    begun("crawl", "user", crawl, loop, "apps/spider/spider.c:104 begin")
    for (slot = 0; slot < slots && page_count < pages; slot++)
        start_page(slot)
    for (;;) {
        next_slot = 0
        for (slot = 1; slot < slots; slot++)
            if (due[slot] < due[next_slot] && step[slot])
                next_slot = slot
        if (!step[next_slot])
            break
        advance(next_slot)
    }
    from = now
    spend(30)
    ran("crawl", "user", crawl, from, "crawled", "0")
    printf "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"weft\":\"0.1.0\",\"command\":\"weft spider http://example.org/\",\"events\":%d,\"lost\":%d,\"unfinished\":%d},\n\"traceEvents\":[\n", events, lost + 0, open
    for (i = 1; i < events; i++)
        print lines[i] ","
    print lines[events] "\n]}"
}
