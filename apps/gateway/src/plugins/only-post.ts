import type { FastifyInstance } from 'fastify'
import { rpcErrorBody } from '../mcp/json-rpc.ts'

/** There is no stream to GET and no session to DELETE: clients that try are told so and go on without. */
export function onlyPost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'POST') return
    await reply
      .code(405)
      .header('allow', 'POST')
      .send(rpcErrorBody(null, { code: -32_000, message: 'Method not allowed.' }))
  })
}
