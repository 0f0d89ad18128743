import { Fault, toFault } from '@postern/core'
import type { CommandContext } from './context.ts'
import { printable } from './layout.ts'

/** Anything thrown, said once: an object on standard output with `--json`, else a sentence on standard error. */
export function renderError(context: CommandContext, error: unknown): void {
  const shown = describeError(error)
  if (context.isJson) {
    context.print(`${JSON.stringify({ error: shown })}\n`)
    return
  }
  const problems = shown.problems?.map((problem) => `  ${problem}\n`).join('') ?? ''
  const cause = shown.cause === undefined ? '' : `Cause: ${shown.cause}\n`
  const suggestions = suggestionsOf(shown)
    .map((suggestion) => `  ${suggestion}\n`)
    .join('')
  context.note(printable(`Error: ${shown.message}\n${problems}${suggestions}${cause}`))
}

interface ShownError {
  readonly code: string
  readonly message: string
  readonly problems?: readonly string[]
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: string
}

function describeError(error: unknown): ShownError {
  if (isConfigError(error)) {
    return {
      code: 'invalid_configuration',
      message: 'The configuration cannot be used.',
      problems: error.problems,
    }
  }
  const fault = toFault(error)
  // At this terminal sits the operator, for whom the internal text is meant.
  const cause = fault.code === 'internal_error' && fault.internal !== null ? { cause: fault.internal } : {}
  const details = Object.keys(fault.details).length === 0 ? {} : { details: fault.details }
  return { code: fault.code, message: fault.public, ...details, ...cause }
}

/** What may help, of a connection test that failed. */
function suggestionsOf({ details }: ShownError): readonly string[] {
  const given = details?.['suggestions']
  return Array.isArray(given) ? given.filter((suggestion) => typeof suggestion === 'string') : []
}

/** The gateway's ConfigError, known by what it carries: its class is not part of what the gateway exports. */
function isConfigError(error: unknown): error is Error & { readonly problems: readonly string[] } {
  return (
    error instanceof Error &&
    !(error instanceof Fault) &&
    'problems' in error &&
    Array.isArray(error.problems) &&
    error.problems.every((problem) => typeof problem === 'string')
  )
}
