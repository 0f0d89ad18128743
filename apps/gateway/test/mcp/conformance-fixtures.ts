import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { setTimeout as delay } from 'node:timers/promises'
import type { MakeServer } from '../../src/mcp/server.ts'
import { promptWithQuestion, roundTools } from './conformance-rounds.ts'

/** One pixel, and the shortest sound: the suite looks at the type only. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

export type FixtureTool = (
  args: Readonly<Record<string, unknown>>,
  context: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>

const pause = 50

const plainTools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: () => said('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    ...said('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_progress: async (_args, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (token !== undefined) {
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress, total: 100 },
        })
      }
      await delay(pause)
    }
    return said('Done.')
  },
  test_tool_with_logging: async (_args, { mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', data)
      await delay(pause)
    }
    return said('Done.')
  },
  test_logging_tool: async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'Only for clients that asked for it.')
    return said('Done.')
  },
}

const tools: Readonly<Record<string, FixtureTool>> = { ...plainTools, ...roundTools }

const prompts: Readonly<
  Record<
    string,
    (args: Readonly<Record<string, string>>, context: ServerContext) => GetPromptResult | InputRequiredResult
  >
> = {
  test_simple_prompt: () => ({ messages: [user('This is a simple prompt for testing.')] }),
  test_prompt_with_arguments: ({ arg1 = '', arg2 = '' }) => ({
    messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }),
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => ({
    messages: [
      {
        role: 'user',
        content: resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      },
      user('Please process the embedded resource above.'),
    ],
  }),
  test_prompt_with_image: () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
      user('Please analyze the image above.'),
    ],
  }),
  test_input_required_result_prompt: (_args, context) => promptWithQuestion(context),
}

const promptArguments: Readonly<Record<string, readonly string[]>> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
}

/**
 * The tools, resources and prompts that the conformance suite calls, put on servers made by the real factory, so that
 * everything around them is the real stack. The service itself has no resources, prompts, completions or logging.
 */
export function withFixtures(makeServer: MakeServer): MakeServer {
  return (request) => {
    const server = makeServer(request)
    server.registerCapabilities({ resources: {}, prompts: {}, completions: {}, logging: {} })
    addTools(server)
    addResources(server)
    addPrompts(server)
    return server
  }
}

function addTools(server: Server): void {
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `Fixture ${name}`,
      inputSchema: { type: 'object' as const, properties: {} },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = tools[params.name]
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool')
    return tool(params.arguments ?? {}, context)
  })
}

function addResources(server: Server): void {
  server.setRequestHandler('resources/list', () => ({
    resources: ['test://static-text', 'test://static-binary', 'test://watched-resource'].map((uri) => ({
      uri,
      name: uri,
      description: `Fixture ${uri}`,
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Fixture template' },
    ],
  }))
  server.setRequestHandler('resources/read', ({ params }) => readResource(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function readResource(uri: string): ReadResourceResult {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: 'application/json', text }] }
  }
  switch (uri) {
    case 'test://static-text':
      return {
        contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
      }
    case 'test://static-binary':
      return { contents: [{ uri, mimeType: 'image/png', blob: png }] }
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  }
}

function addPrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(prompts).map((name) => ({
      name,
      description: `Fixture ${name}`,
      arguments: (promptArguments[name] ?? []).map((argument) => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = prompts[params.name]
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown prompt')
    return prompt(params.arguments ?? {}, context)
  })
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park'], total: 2 },
  }))
}

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

function user(text: string) {
  return { role: 'user' as const, content: { type: 'text' as const, text } }
}

function resource(uri: string, mimeType: string, text: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text } }
}
