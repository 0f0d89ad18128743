import type { FastifyInstance } from 'fastify'

const idShape = /^ap_[0-9A-Za-z]{20}$/

/**
 * Where `review_url` leads: says who decides and how. It looks nothing up, so that it tells nobody whether there is such
 * an approval; what is held is shown where it is decided.
 */
export function approvalPage(app: FastifyInstance): void {
  app.get<{ Params: { approvalId: string } }>('/approvals/:approvalId', (request, reply) => {
    const { approvalId } = request.params
    if (!idShape.test(approvalId)) return reply.callNotFound()
    return reply
      .type('text/plain; charset=utf-8')
      .send(
        `An agent has asked for something that somebody has to approve.\n\n` +
          `It is shown and decided by the operator of this service, at a terminal:\n\n` +
          `  postern approvals show ${approvalId}\n` +
          `  postern approvals approve ${approvalId}\n` +
          `  postern approvals reject ${approvalId}\n`,
      )
  })
}
