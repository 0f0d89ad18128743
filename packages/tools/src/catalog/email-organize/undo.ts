import * as z from 'zod'
import { organised } from '../../change-messages.ts'
import { defineWrite } from '../../define-tool.ts'
import * as params from '../../params.ts'
import { requireUndoable, takeChance } from './undoable.ts'
import { undoMarks } from './undo-marks.ts'
import { undoMoves } from './undo-moves.ts'

export const undo = defineWrite({
  action: 'undo',
  effect: 'write',
  // One of them opens it; `requireUndoable` asks for those of the action that is undone.
  scopes: [['organize:email', 'delete:email']],
  target: 'inbox',
  seconds: 55,
  input: z.strictObject({ operation_id: params.operationId }),
  own: organised,
  example: { operation_id: 'op_...' },
  async write({ operation_id: operationId }, context) {
    const { operation, items } = await requireUndoable(operationId, context)
    const takeBack = items.some(({ marks }) => marks !== undefined) ? undoMarks : undoMoves
    return takeBack(items, context, () => takeChance(operation, context))
  },
})
