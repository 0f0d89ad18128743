/**
 * The closed set of fields a log line may carry. There is deliberately none for a subject, an address, a
 * folder, a query or an argument: mail never reaches a log because there is no field to put it in.
 */
export interface LogFields {
  readonly request_id?: string
  readonly tenant_id?: string
  readonly principal_id?: string
  readonly inbox_id?: string
  readonly operation?: string
  readonly effect?: string
  readonly outcome?: string
  readonly fault_code?: string
  readonly reference?: string
  /** Provider or library text behind a fault, cut to 500 characters, with addresses and quoted text struck out. */
  readonly cause?: string
  readonly provider?: string
  readonly duration_ms?: number
  readonly provider_ms?: number
  readonly result_bytes?: number
  readonly http_status?: number
  readonly http_method?: string
  readonly http_route?: string
  readonly port?: number
  readonly host?: string
  readonly count?: number
  readonly setting?: string
  readonly version?: string
  readonly step?: string
  /** A folder of the service on this machine, such as its data folder; never a mail folder. */
  readonly directory?: string
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** A log whose lines all carry `fields`. */
  with(fields: LogFields): Log
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** One JSON object a line: `time`, `level`, `event`, then the fields. `write` gets the line with its newline. */
export function createLog(minimum: LogLevel, write: (line: string) => void, base: LogFields = {}): Log {
  const emit = (level: LogLevel, event: string, fields: LogFields): void => {
    if (order.indexOf(level) < order.indexOf(minimum)) return
    const all: LogFields = { ...base, ...fields }
    const cause = all.cause === undefined ? {} : { cause: redact(all.cause) }
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...all, ...cause })}\n`)
  }
  return {
    debug: (event, fields = {}) => emit('debug', event, fields),
    info: (event, fields = {}) => emit('info', event, fields),
    warn: (event, fields = {}) => emit('warn', event, fields),
    error: (event, fields = {}) => emit('error', event, fields),
    with: (fields) => createLog(minimum, write, { ...base, ...fields }),
  }
}

/** Writes nothing; for tests and for code that must run before there is a log. */
export const silentLog: Log = createLog('error', () => undefined)

/**
 * Strikes out what a provider's text may repeat of the mail: addresses, anything quoted, long tokens.
 * What stays is the server's own wording and its status codes, which is what an operator needs.
 */
export function redact(text: string): string {
  return text
    .replace(/[^\s<>"'()]+@[^\s<>"'()]+/g, '[address]')
    .replace(/"(?:[^"\\]|\\.)*"/g, '"..."')
    .replace(/'[^']*'/g, "'...'")
    .replace(/\S{61,}/g, '[long]')
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, 500)
}
