import type { LinksMode } from '@postern/mail'
import { tokensOf } from '../../budget.ts'
import type { ActionContext } from '../../define-tool.ts'
import { continueBody } from './continue-body.ts'
import { renderWindow } from './render-window.ts'
import { shareEvenly } from './share-evenly.ts'
import { ownWords, renderThreadHead, type ThreadItem, type ThreadMessage } from './thread-message.ts'

export interface FitOptions {
  readonly subject: string
  readonly links: LinksMode
  readonly maxChars: number
  /** Tokens that all messages of the page may take together. */
  readonly budget: number
}

/** A body is cut to this before whole messages are left out. */
const leastBodyTokens = 140
/** The fence around a body, and what stands beside one that was cut. */
const fenceTokens = 45
const windowTokens = 70

/**
 * The messages of a page that fit, at least one, with as much of each body as an even share of the rest allows. What
 * a short body leaves passes on to the longer ones.
 */
export function fitThread(
  items: readonly ThreadItem[],
  options: FitOptions,
  context: ActionContext,
): readonly ThreadMessage[] {
  const drafts = items.map((item) => draftOf(item, options, context))
  const kept: typeof drafts = []
  let left = options.budget
  for (const draft of drafts) {
    left -= draft.cost + Math.min(draft.need, leastBodyTokens)
    if (left < 0 && kept.length > 0) break
    kept.push(draft)
  }
  const heads = kept.reduce((sum, { cost }) => sum + cost, 0)
  const shares = shareEvenly(
    kept.map(({ need }) => need),
    Math.max(0, options.budget - heads),
  )
  return kept.map(({ item, head, need }, index) => {
    const share = shares[index] ?? 0
    const maxTokens = need <= share ? share : Math.max(1, share - windowTokens)
    return { ...head, ...bodyOf(item, head.message_id, { ...options, maxTokens }, context) }
  })
}

interface Draft {
  readonly item: ThreadItem
  readonly head: ThreadMessage
  /** Tokens of everything but the words of the body. */
  readonly cost: number
  /** Tokens that as much of the body as was asked for takes, with its window fields where that is not all. */
  readonly need: number
}

function draftOf(item: ThreadItem, options: FitOptions, context: ActionContext): Draft {
  const head = renderThreadHead(item, options.subject, context)
  const words = item.opened === null ? null : ownWords(item.opened)
  const cost = tokensOf(head) + (words === null ? 0 : fenceTokens)
  if (words === null) return { item, head, cost, need: 0 }
  const isLonger = words.length > options.maxChars
  return {
    item,
    head,
    cost,
    need: tokensOf(words.slice(0, options.maxChars)) + (isLonger ? windowTokens : 0),
  }
}

function bodyOf(
  { opened }: ThreadItem,
  messageId: string,
  { links, maxChars, maxTokens }: FitOptions & { readonly maxTokens: number },
  context: ActionContext,
): Partial<ThreadMessage> {
  const text = opened === null ? null : ownWords(opened)
  if (opened === null || opened.body === null || text === null) return {}
  const request = { offset: 0, maxChars, htmlOffset: 0, maxTokens }
  const window = renderWindow({ ...opened.body, text }, request, context.nonce)
  return { ...window, ...continueBody(messageId, window, { links, maxChars: null }, context) }
}
