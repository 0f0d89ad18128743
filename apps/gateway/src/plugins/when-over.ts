import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'

/** What is left to do for the exchanges of a connection when it closes. */
const open = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls `act` once, when the answer is finished or the connection is gone, whichever is first; at once where that has
 * been already. The response alone does not tell: one whose client left during an earlier hook has had its `close`,
 * and one that waits behind another on the same connection (pipelining) never gets any.
 */
export function whenOver(request: FastifyRequest, reply: FastifyReply, act: () => void): void {
  const { socket } = request.raw
  const acts = actsOf(socket)
  const over = (): void => {
    if (!acts.delete(over)) return
    reply.raw.off('close', over)
    act()
  }
  acts.add(over)
  reply.raw.once('close', over)
  if (reply.raw.closed || socket.destroyed) over()
}

/** One listener a connection: a hundred requests may wait on it. */
function actsOf(socket: Socket): Set<() => void> {
  const known = open.get(socket)
  if (known !== undefined) return known
  const acts = new Set<() => void>()
  open.set(socket, acts)
  socket.once('close', () => {
    for (const act of acts) act()
  })
  return acts
}
