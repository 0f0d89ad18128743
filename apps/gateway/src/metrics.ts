import type { FaultCode } from '@postern/core'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Why a request did not reach a tool, as far as counting goes. */
export type Refusal =
  | FaultCode
  | 'malformed'
  | 'too_large'
  | 'minute'
  | 'hour'
  | 'day'
  | 'tenant_minute'
  | 'concurrency'

export interface CallRecord {
  /** `email_read.search`, or `unknown_tool`: never what a caller made up. */
  readonly operation: string
  /** A fault is named by its code, so that expected ones can be told from ours. */
  readonly outcome: 'ok' | 'cancelled' | FaultCode
  /** Kind of mailbox, `none` where no single inbox was used. */
  readonly provider: string
  readonly durationMs: number
}

/** A number someone else keeps (connections of the pool, lost audit events), read when it is asked for. */
export interface ReadGauge {
  /** With unit at the end: `postern_imap_connections`. */
  readonly name: string
  readonly help: string
  readonly read: () => number
}

export interface Metrics {
  called(record: CallRecord): void
  refused(reason: Refusal): void
  answered(status: number): void
  watch(gauge: ReadGauge): void
  /** The text of `/metrics`, and its content type. */
  render(): Promise<{ readonly type: string; readonly text: string }>
}

const secondsBuckets = [0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60]

/**
 * Counters of one gateway, in a registry of its own so that two of them in a process do not add up. Labels come
 * from closed sets (operation, outcome, provider): never an id, or the series would never end.
 */
export function createMetrics(): Metrics {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  collectDefaultMetrics({ register: registry, prefix: 'postern_' })
  const calls = new Counter({
    name: 'postern_tool_calls_total',
    help: 'Tool calls that reached the wall; outcome is ok, cancelled or a fault code',
    labelNames: ['operation', 'outcome', 'provider'],
    registers,
  })
  const seconds = new Histogram({
    name: 'postern_tool_call_duration_seconds',
    help: 'Time from arrival at the wall to the finished result',
    labelNames: ['operation', 'provider'],
    buckets: secondsBuckets,
    registers,
  })
  const refusals = new Counter({
    name: 'postern_refused_requests_total',
    help: 'Requests answered before any tool; outcome is the reason or the rate-limit window',
    labelNames: ['outcome'],
    registers,
  })
  const answers = new Counter({
    name: 'postern_http_answers_total',
    help: 'HTTP answers; outcome is the class of the status',
    labelNames: ['outcome'],
    registers,
  })
  return {
    called: ({ operation, outcome, provider, durationMs }) => {
      calls.inc({ operation, outcome, provider })
      seconds.observe({ operation, provider }, durationMs / 1_000)
    },
    refused: (outcome) => refusals.inc({ outcome }),
    answered: (status) => answers.inc({ outcome: `${String(Math.floor(status / 100))}xx` }),
    watch: ({ name, help, read }) => {
      void new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    render: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}
