import type { Log } from '@postern/core'

/** One log that writes to two. */
export function tee(first: Log, second: Log): Log {
  return {
    debug: (event, fields) => [first, second].forEach((log) => log.debug(event, fields)),
    info: (event, fields) => [first, second].forEach((log) => log.info(event, fields)),
    warn: (event, fields) => [first, second].forEach((log) => log.warn(event, fields)),
    error: (event, fields) => [first, second].forEach((log) => log.error(event, fields)),
    with: (fields) => tee(first.with(fields), second.with(fields)),
  }
}
