import { Fault } from '@postern/core'
import type { Command } from 'commander'
import { isRecord, withService, type CallResult } from '../call-tool.ts'
import { endpointOf, parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import { printable } from '../layout.ts'
import { renderValue } from '../render-value.ts'
import type { Run } from '../run.ts'

interface CallOptions {
  readonly key?: string
  readonly url?: string
}

export function defineCall(call: Command, run: Run): void {
  call
    .argument('<tool>', 'such as inbox_list')
    .argument('[arguments]', 'a JSON object', '{}')
    .option('--key <key>', 'API key (default: POSTERN_KEY)')
    .option('--url <url>', 'MCP endpoint (default: POSTERN_URL, else the service of this configuration)')
    .action((tool: string, json: string, options: CallOptions) =>
      run((context) => callOnce(context, tool, json, options)),
    )
}

async function callOnce(
  context: CommandContext,
  tool: string,
  json: string,
  options: CallOptions,
): Promise<Answer> {
  const args = parseArguments(json)
  const config = parseCliConfig(context.environment)
  const key = options.key ?? config.key
  if (key === null) {
    throw new Fault('missing_argument', {
      public: 'A key is needed: --key or POSTERN_KEY. postern key create makes one.',
      details: { argument: 'key' },
    })
  }
  const url = options.url === undefined ? (config.url ?? endpointOf(config.service)) : parseUrl(options.url)
  const result = await withService({ url, key }, (call) => call(tool, args))
  return { json: resultOf(result), text: shownResult(result), isFailure: result.isError }
}

function parseArguments(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json)
    if (isRecord(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Fault('invalid_arguments', {
    public: `The arguments of a tool are a JSON object in one word, such as '{"action":"list","limit":5}'.`,
    details: { argument: 'arguments' },
  })
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Fault('invalid_arguments', {
      public: '--url must be an http or https URL.',
      details: { argument: 'url' },
    })
  }
  // The endpoint is the one path there is; whoever gives the bare service means it.
  if (url.pathname === '/') url.pathname = '/mcp'
  return url
}

/** The tool's own result, which a failed one has as text: the error object that says what helps. */
function resultOf({ isError, structured, texts, raw }: CallResult): Readonly<Record<string, unknown>> {
  return (isError ? parseObject(texts[0] ?? '') : structured) ?? raw
}

function shownResult(result: CallResult): string {
  if (!result.isError && result.structured !== null) return renderValue(result.structured)
  const fault = parseObject(result.texts[0] ?? '')
  if (fault !== null) return `The tool answered with an error.\n${renderValue(fault)}`
  return `${printable(result.texts.join('\n'))}\n`
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null // a text that is not JSON is shown as it is
  }
}
