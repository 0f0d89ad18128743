export interface ClientSnippet {
  readonly client: string
  readonly how: string
  readonly text: string
}

/**
 * How to give a URL and a key to the clients that take a key in a header, in each one's own format.
 * Sources: the MCP pages of the documentation of Claude Code, Cursor, VS Code and n8n, November 2026.
 */
export function clientSnippets(url: string, key: string): readonly ClientSnippet[] {
  const authorization = `Bearer ${key}`
  const headers = { Authorization: authorization }
  return [
    {
      client: 'Claude Code',
      how: 'in a terminal',
      text: `claude mcp add --transport http postern ${url} \\\n  --header "Authorization: ${authorization}"`,
    },
    {
      client: 'Cursor',
      how: '~/.cursor/mcp.json, or .cursor/mcp.json in a project',
      text: JSON.stringify({ mcpServers: { postern: { url, headers } } }, null, 2),
    },
    {
      client: 'VS Code',
      how: '.vscode/mcp.json, or the command "MCP: Open User Configuration"',
      text: JSON.stringify({ servers: { postern: { type: 'http', url, headers } } }, null, 2),
    },
    {
      client: 'n8n',
      how: 'an MCP Client Tool node beside an AI Agent',
      text: [
        `Endpoint           ${url}`,
        'Server Transport   HTTP Streamable',
        'Authentication     Bearer Auth, with a credential whose token is',
        `                   ${key}`,
      ].join('\n'),
    },
    {
      client: 'Your own code',
      how: 'npm install @modelcontextprotocol/client',
      text: ownCode(url, authorization),
    },
  ]
}

function ownCode(url: string, authorization: string): string {
  return [
    "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'",
    '',
    "const client = new Client({ name: 'my-agent', version: '1.0.0' })",
    'await client.connect(',
    `  new StreamableHTTPClientTransport(new URL('${url}'), {`,
    `    requestInit: { headers: { Authorization: '${authorization}' } },`,
    '  }),',
    ')',
    "const result = await client.callTool({ name: 'inbox_list', arguments: {} })",
    'console.log(result.structuredContent)',
  ].join('\n')
}
