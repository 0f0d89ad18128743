import { requireScopes, type Principal, type ScopeRule } from '@postern/access'
import { Fault } from '@postern/core'
import { mediaType } from '@postern/mail'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import type { Meters } from '../plugins/rate-limit.ts'
import { requirePrincipal } from '../plugins/require-principal.ts'

export interface UploadRequest {
  readonly filename: string
  readonly mimeType: string
  /** As it was announced; null where it was not. */
  readonly sizeBytes: number | null
}

export interface Upload {
  readonly uploadId: string
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly expiresAt: Date
}

/** Where files wait to be attached. */
export interface Uploads {
  /**
   * Keeps a file for the key that brought it.
   * @throws attachment_too_large: the file, or all that wait; invalid_arguments for one of no octets.
   */
  put(principal: Principal, request: UploadRequest, octets: AsyncIterable<Uint8Array>): Promise<Upload>
}

/** Octets of one file. */
export const maxUploadBytes = 25 * 1024 * 1024

const composing: ScopeRule = [['send:email', 'manage:drafts']]

/**
 * `POST /api/v1/uploads?filename=<name>`: the body is the file and Content-Type its type. Not multipart: a file then
 * needs neither a parser nor a copy, and `curl --data-binary @file` is all a client has to do.
 */
export function uploadDoor(app: FastifyInstance, uploads: Uploads, meters: Meters): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.all('/api/v1/uploads', async (request, reply) => {
    const principal = requirePrincipal(request)
    await meters.takeCall(principal)
    requireScopes(principal, composing, 'uploads')
    const asked = readRequest(request)
    const body = request.body instanceof Readable ? request.body : Readable.from([])
    const { uploadId, sizeBytes, sha256, expiresAt } = await uploads.put(principal, asked, body)
    return reply.code(201).send({
      upload_id: uploadId,
      filename: asked.filename,
      mime_type: asked.mimeType,
      size_bytes: sizeBytes,
      sha256,
      expires_at: expiresAt.toISOString(),
    })
  })
}

/** @throws invalid_arguments, missing_argument, attachment_too_large. */
function readRequest(request: FastifyRequest): UploadRequest {
  const announced = request.headers['content-length']
  const sizeBytes = announced === undefined ? null : Number(announced)
  if (sizeBytes !== null && sizeBytes > maxUploadBytes) throw uploadTooLarge()
  return {
    filename: readFilename(request.url),
    mimeType: readType(request.headers['content-type']),
    sizeBytes,
  }
}

// A line end in a name would be one in a header of the message; a slash is a place, and no part of a name.
const nameShape = /^[^\p{Cc}\p{Zl}\p{Zp}/\\]{1,255}$/u

function readFilename(url: string): string {
  const mark = url.indexOf('?')
  const names = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)).getAll('filename')
  const [filename] = names
  if (filename === undefined || names.length > 1) {
    throw new Fault('missing_argument', {
      public:
        'Name the file once in the URL: POST /api/v1/uploads?filename=report.pdf, percent-encoded. Nothing was kept.',
      details: { argument: 'filename' },
    })
  }
  if (!nameShape.test(filename)) {
    throw new Fault('invalid_arguments', {
      public:
        'filename must be 1 to 255 characters without control characters, slashes and backslashes. Nothing was kept.',
      details: { argument: 'filename' },
    })
  }
  return filename
}

const octetStream = 'application/octet-stream'

function readType(contentType: string | undefined): string {
  const type = mediaType((contentType ?? octetStream).split(';', 1)[0]?.trim() ?? '')
  if (type === null) {
    throw new Fault('invalid_arguments', {
      public: 'Content-Type must be the type of the file, such as application/pdf. Nothing was kept.',
      details: { argument: 'content-type' },
    })
  }
  if (type.startsWith('multipart/')) {
    throw new Fault('invalid_arguments', {
      public:
        'Send the file itself as the body (curl --data-binary @file), not a form, and its type as Content-Type. Nothing was kept.',
      details: { argument: 'content-type' },
    })
  }
  // What curl says of any body that it is told nothing about.
  return type === 'application/x-www-form-urlencoded' ? octetStream : type
}

export function uploadTooLarge(): Fault {
  return new Fault('attachment_too_large', {
    public: 'The file has more than 25 MB, which no message may carry. Nothing was kept.',
    details: { limit_bytes: maxUploadBytes },
  })
}
