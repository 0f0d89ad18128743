import type { FileTable, Form } from './content.ts'
import type { World } from './delivery.ts'
import { fileEntity, multipartEntity, textEntity, type Entity } from './mime.ts'
import { tinyPdf } from './tiny-pdf.ts'
import { tinyPng } from './tiny-png.ts'
import type { TransferEncoding } from './transfer-encoding.ts'

/** What a person wrote, before it is MIME. `html` replaces the page that is otherwise made of `text`. */
export interface Body {
  readonly label: string
  readonly form: Form
  readonly text: string
  readonly html?: string
  readonly charset?: string | undefined
  readonly encoding?: TransferEncoding | undefined
  /** Name of a picture to show inside the text; makes the body multipart/related. */
  readonly picture?: string | undefined
  readonly files?: readonly FileTable[]
  /** Further parts beside the body, such as an attached message. */
  readonly attached?: readonly Entity[]
}

/** Text, alternative, related and mixed, each only where it is needed, as common clients nest them. */
export function bodyEntity(world: World, body: Body): Entity {
  const boundary = (level: string): string => `=_${world.seeded.token(`${body.label}/${level}`, 24)}`
  const attached = [
    ...(body.files ?? []).map((file) => fileEntity(fileOf(world, file))),
    ...(body.attached ?? []),
  ]
  const shown = shownEntity(world, body, boundary)
  return attached.length === 0 ? shown : multipartEntity('mixed', boundary('mixed'), [shown, ...attached])
}

function shownEntity(world: World, body: Body, boundary: (level: string) => string): Entity {
  const { charset, encoding } = body
  const common = {
    ...(charset === undefined ? {} : { charset }),
    ...(encoding === undefined ? {} : { encoding }),
  }
  const plain = textEntity(body.text, world.encode, common)
  if (body.form === 'plain' && body.picture === undefined) return plain
  const page = textEntity(pageOf(body), world.encode, { ...common, subtype: 'html' })
  const framed = body.picture === undefined ? page : relatedEntity(world, body, page, boundary('related'))
  return body.form === 'html'
    ? framed
    : multipartEntity('alternative', boundary('alternative'), [plain, framed])
}

function relatedEntity(world: World, body: Body, page: Entity, boundary: string): Entity {
  const name = body.picture ?? ''
  const picture = fileEntity({ ...fileOf(world, { name, lines: [] }), contentId: contentIdOf(body) })
  return multipartEntity('related; type="text/html"', boundary, [page, picture])
}

function pageOf(body: Body): string {
  if (body.html !== undefined) return body.html
  const paragraphs = body.text
    .split('\n\n')
    .map((text) => `<p>${escapeHtml(text).replaceAll('\n', '<br>\n')}</p>`)
  const picture = body.picture === undefined ? [] : [`<p><img src="cid:${contentIdOf(body)}" alt=""></p>`]
  return ['<html><body>', ...paragraphs, ...picture, '</body></html>', ''].join('\n')
}

function contentIdOf(body: Body): string {
  return `${body.label}.picture@sandbox.example`
}

function fileOf(world: World, file: FileTable): { name: string; type: string; octets: Uint8Array } {
  const { name, lines } = file
  if (name.endsWith('.pdf')) return { name, type: 'application/pdf', octets: tinyPdf(lines) }
  if (name.endsWith('.png')) {
    const shade = (channel: string): number => world.seeded.integer(`${name}/${channel}`, 60, 255)
    return { name, type: 'image/png', octets: tinyPng([shade('red'), shade('green'), shade('blue')]) }
  }
  const type = name.endsWith('.csv') ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8'
  return { name, type, octets: Buffer.from(`${lines.join('\r\n')}\r\n`, 'utf8') }
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
