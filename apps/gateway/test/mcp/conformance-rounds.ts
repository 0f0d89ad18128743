import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type GetPromptResult,
  type InputRequest,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { randomBytes } from 'node:crypto'
import type { FixtureTool } from './conformance-fixtures.ts'

/** Fixture tools that ask the client something and are called again with its answers (MCP 2026-07-28, MRTR). */
export const roundTools: Readonly<Record<string, FixtureTool>> = {
  test_input_required_result_elicitation: (_args, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_name')
    if (typeof answer?.['name'] !== 'string')
      return ask({ user_name: question('What is your name?', 'name') })
    return said(`Hello, ${answer['name']}!`)
  },
  test_input_required_result_sampling: (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'capital_question')
    if (answer.kind !== 'sampling')
      return ask({ capital_question: sampling('What is the capital of France?') })
    return said(JSON.stringify(answer.result.content))
  },
  test_input_required_result_list_roots: (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (answer.kind !== 'roots') return ask({ client_roots: inputRequired.listRoots() })
    return said(JSON.stringify(answer.roots))
  },
  test_input_required_result_request_state: (_args, context) =>
    twoRounds(context, { confirm: confirmation }, 'state-ok'),
  test_input_required_result_tampered_state: (_args, context) =>
    twoRounds(context, { confirm: confirmation }, 'state-ok'),
  test_input_required_result_multiple_inputs: (_args, context) =>
    twoRounds(
      context,
      {
        user_name: question('What is your name?', 'name'),
        greeting: sampling('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      'All answered.',
    ),
  test_input_required_result_multi_round: async (_args, context) => {
    const step = await stateOf(context)
    if (step === null) return askAgain({ step1: question('Step 1: What is your name?', 'name') }, 1)
    if (step === 1) return askAgain({ step2: question('Step 2: What is your favorite color?', 'color') }, 2)
    return said('Both steps are done.')
  },
  test_missing_capability: () => ask({ greeting: sampling('Generate a greeting') }),
  test_streaming_elicitation: () => ask({ user_name: question('What is your name?', 'name') }),
  test_input_required_result_capabilities: (_args, { mcpReq }) => {
    const envelope = mcpReq.envelope as
      | Readonly<Record<string, Readonly<Record<string, unknown>>>>
      | undefined
    return envelope?.['io.modelcontextprotocol/clientCapabilities']?.['sampling'] === undefined
      ? ask({ user_name: question('What is your name?', 'name') })
      : ask({ greeting: sampling('Generate a greeting') })
  },
}

export function promptWithQuestion({ mcpReq }: ServerContext): GetPromptResult | InputRequiredResult {
  const answer = acceptedContent(mcpReq.inputResponses, 'user_context')
  if (typeof answer?.['context'] !== 'string') {
    return ask({ user_context: question('What context should the prompt use?', 'context') })
  }
  return { messages: [{ role: 'user', content: { type: 'text', text: answer['context'] } }] }
}

const confirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})

const states = createRequestStateCodec<number>({ key: randomBytes(32) })

async function twoRounds(
  context: ServerContext,
  questions: Readonly<Record<string, InputRequest>>,
  end: string,
): Promise<CallToolResult | InputRequiredResult> {
  const isSecond = (await stateOf(context)) !== null
  const isAnswered = Object.keys(questions).every(
    (key) => inputResponse(context.mcpReq.inputResponses, key).kind !== 'missing',
  )
  return isSecond && isAnswered ? said(end) : askAgain(questions, 1)
}

/** The state the client brings back, checked, or null when it brings none. */
async function stateOf(context: ServerContext): Promise<number | null> {
  const state = context.mcpReq.requestState()
  if (typeof state !== 'string') return null
  try {
    return await states.verify(state, context)
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The request state was changed')
  }
}

function ask(inputRequests: Readonly<Record<string, InputRequest>>): InputRequiredResult {
  return inputRequired({ inputRequests: { ...inputRequests } })
}

async function askAgain(
  inputRequests: Readonly<Record<string, InputRequest>>,
  step: number,
): Promise<InputRequiredResult> {
  return inputRequired({ inputRequests: { ...inputRequests }, requestState: await states.mint(step) })
}

function question(message: string, field: string): InputRequest {
  const requestedSchema = {
    type: 'object' as const,
    properties: { [field]: { type: 'string' as const } },
    required: [field],
  }
  return inputRequired.elicit({ message, requestedSchema })
}

function sampling(text: string): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 100,
  })
}

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}
