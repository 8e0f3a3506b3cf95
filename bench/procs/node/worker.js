'use strict';
module.exports = number => number + 1;
