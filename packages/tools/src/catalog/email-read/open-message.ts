import {
  chooseBody,
  renderBody,
  type Attachment,
  type BodyContent,
  type BodyPart,
  type Call,
  type ChosenBody,
  type LinksMode,
  type Message,
  type Part,
  type PartId,
  type HtmlParser,
  type ReadMail,
  type RenderedBody,
} from '@postern/mail'
import { messageTree } from '../../message-tree.ts'

/** Decoded octets read of one text part; a longer body is cut, with a warning. */
const maxPartBytes = 2 * 1024 * 1024

export interface OpenOptions {
  readonly links: LinksMode
  readonly includeHtml: boolean
  /** False when nothing of the body is wanted: then nothing of it is fetched. */
  readonly withBody: boolean
  readonly pool: HtmlParser | null
  /** As in `RenderBodyOptions`. */
  readonly keepsPictures?: boolean
}

/** A message with its body as clean text, whole and unfenced: windows and fences are the action's. */
export interface OpenedMessage {
  readonly message: Message
  /** Null when it was not asked for. */
  readonly body: RenderedBody | null
  readonly attachments: readonly Attachment[]
  /** The parts of the message. */
  readonly tree: Part
  /** What the body is made of, also where it was not asked for. */
  readonly source: RenderedBody['source']
  readonly warnings: readonly string[]
}

/**
 * Chooses the parts a person would read and brings just those. A plain text that shows nothing gives way to the
 * HTML beside it; a structure that the server described unreadably is read from the message itself.
 * @throws message_not_found, message_too_large, provider_*, timeout.
 */
export async function openMessage(
  mail: ReadMail,
  message: Message,
  options: OpenOptions,
  call: Call,
): Promise<OpenedMessage> {
  const { tree, isWhole } = await messageTree(mail, message, call)
  const source: PartSource = { mail, message, call }
  const chosen = chooseBody(tree)
  const warnings: string[] = [...chosen.warnings, ...(isWhole ? ['structure_from_original'] : [])]
  const { attachments } = chosen
  if (!options.withBody) return { message, body: null, attachments, tree, source: sourceOf(chosen), warnings }
  const first = await renderChosen(source, chosen, options)
  const isBlank = first.blankParts.length > 0 && first.blankParts.length === chosen.parts.length
  const body =
    isBlank && chosen.alternatives.length > 0
      ? await renderChosen(source, chooseBody(tree, new Set(first.blankParts)), options)
      : first
  return { message, body, attachments, tree, source: body.source, warnings: [...warnings, ...body.warnings] }
}

function sourceOf({ parts }: ChosenBody): RenderedBody['source'] {
  if (parts.length === 0) return 'none'
  return parts.some(({ kind }) => kind === 'html') ? 'html' : 'plain'
}

interface PartSource {
  readonly mail: ReadMail
  readonly message: Message
  readonly call: Call
}

async function renderChosen(
  source: PartSource,
  chosen: ChosenBody,
  options: OpenOptions,
): Promise<RenderedBody> {
  const htmlParts: readonly BodyPart[] = options.includeHtml
    ? chosen.htmlParts.map((part) => ({ part, kind: 'html' as const }))
    : []
  const contents = await readContents(source, [...chosen.parts, ...htmlParts])
  const pick = (wanted: readonly BodyPart[]): readonly BodyContent[] =>
    wanted.flatMap(({ part }) => {
      const content = contents.get(part.id)
      return content === undefined ? [] : [content]
    })
  return renderBody(
    { parts: pick(chosen.parts), htmlParts: pick(htmlParts) },
    {
      links: options.links,
      pool: options.pool,
      ...(options.keepsPictures === undefined ? {} : { keepsPictures: options.keepsPictures }),
    },
  )
}

/** What the parts hold: from the tree where the provider sent it along, else in one request for all of them. */
async function readContents(
  { mail, message, call }: PartSource,
  wanted: readonly BodyPart[],
): Promise<ReadonlyMap<PartId, BodyContent>> {
  const missing = [...new Map(wanted.map(({ part }) => [part.id, part])).values()].filter(
    ({ content }) => content === null,
  )
  const requests = missing.map((part) => ({
    partId: part.id,
    encoding: part.encoding,
    maxBytes: maxPartBytes,
  }))
  const brought = requests.length === 0 ? [] : await mail.readParts(message.ref, requests, call)
  const byId = new Map(brought.map((content) => [content.partId, content]))
  return new Map(
    wanted.map(({ part, kind }) => {
      const content = part.content ?? byId.get(part.id)?.content ?? new Uint8Array()
      const { isCut = content.length > maxPartBytes, isDamaged = false } = byId.get(part.id) ?? {}
      return [part.id, { part, kind, content: content.subarray(0, maxPartBytes), isCut, isDamaged }]
    }),
  )
}
