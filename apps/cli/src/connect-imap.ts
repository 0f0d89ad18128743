import { readFile } from 'node:fs/promises'
import { Fault } from '@postern/core'
import { connectInbox, type Connected } from '@postern/inboxes'
import {
  createProviders,
  imapCredentialSchema,
  type ImapCandidate,
  type SmtpSettings,
} from '@postern/providers'
import type { GatewayConfig } from '@postern/gateway/start'
import type { OpenStore } from './with-store.ts'
import { callWithin } from './call-within.ts'

export interface ImapRequest {
  readonly tenantId: string
  readonly address: string
  readonly password: string
  /** PEM of an authority to trust for this mailbox. */
  readonly caPem: string | null
  /** Of the submission server, where it is another one than for reading. */
  readonly smtpPassword: string | null
  /** The caller named the submission server: what cannot be sent by is an error, and no guess that missed. */
  readonly isSubmissionNamed: boolean
  readonly timezone?: string
  readonly language?: string
}

export interface ConnectedImap extends Connected {
  /** By which it sends; null: it can only be read. */
  readonly submission: SmtpSettings | null
}

const secondsEach = 25

/**
 * Tries the candidates in turn until one can be logged in to, and stores that. A server that was reached and
 * refused ends the search: the password is not carried from host to host.
 * @throws provider_error with `step`, `reason` and `suggestions`; nothing was changed.
 */
export async function connectImap(
  { database: db, keyRing }: OpenStore,
  config: GatewayConfig,
  candidates: readonly ImapCandidate[],
  request: ImapRequest,
): Promise<ConnectedImap> {
  const extraCa = config.extraCaFile === null ? undefined : await readPem(config.extraCaFile)
  const providers = createProviders({ allowPrivateHosts: config.allowsPrivateHosts, extraCa })
  const missed: Fault[] = []
  const connect = (candidate: ImapCandidate, submission: SmtpSettings | null): Promise<Connected> => {
    const { credential, authservIds } = credentialOf(candidate, submission, request)
    const { tenantId, address: emailAddress, timezone, language } = request
    const settings = {
      ...(timezone === undefined ? {} : { timezone }),
      ...(language === undefined ? {} : { language }),
    }
    return connectInbox(
      { db, keyRing, providers },
      { tenantId, provider: 'imap', emailAddress, credential, authservIds, ...settings },
      callWithin(secondsEach),
    )
  }
  try {
    for (const candidate of candidates) {
      try {
        return await withSubmission(candidate, request, connect)
      } catch (error) {
        if (!(error instanceof Fault) || !isUnreached(error)) throw error
        missed.push(error)
      }
    }
    throw noneReached(candidates, missed)
  } finally {
    await providers.close()
  }
}

/** Submission servers that were only guessed are tried in turn; where none takes the login, it goes without. */
async function withSubmission(
  candidate: ImapCandidate,
  { isSubmissionNamed }: ImapRequest,
  connect: (candidate: ImapCandidate, submission: SmtpSettings | null) => Promise<Connected>,
): Promise<ConnectedImap> {
  const isGuess = candidate.service === null && !isSubmissionNamed
  for (const submission of candidate.submissions) {
    try {
      return { ...(await connect(candidate, submission)), submission }
    } catch (error) {
      const isMissed = error instanceof Fault && error.details['step'] === 'submission'
      if (!isGuess || !isMissed) throw error
    }
  }
  return { ...(await connect(candidate, null)), submission: null }
}

function credentialOf(
  { host, port, tls, username, service }: ImapCandidate,
  submission: SmtpSettings | null,
  { password, smtpPassword, caPem }: ImapRequest,
) {
  const smtp =
    submission === null
      ? {}
      : { smtp: { ...submission, ...(smtpPassword === null ? {} : { password: smtpPassword }) } }
  const given = { host, port, tls, username, password, ...smtp, ...(caPem === null ? {} : { caPem }) }
  const credential = imapCredentialSchema.safeParse(given)
  if (!credential.success) {
    const names = [...new Set(credential.error.issues.map(({ path }) => String(path[0])))]
    throw new Fault('invalid_arguments', {
      public: `These cannot be used: ${names.join(', ')}. Nothing was changed.`,
      details: { arguments: names },
    })
  }
  return { credential: credential.data, authservIds: service?.authservIds ?? [] }
}

/** Before TLS stands nothing secret has been said, and another host may be the right one. */
function isUnreached({ details }: Fault): boolean {
  return details['step'] === 'resolve' || details['step'] === 'tcp'
}

function noneReached(candidates: readonly ImapCandidate[], missed: readonly Fault[]): Fault {
  const [only] = missed
  if (only !== undefined && missed.length === 1) return only
  const tried = candidates.map(({ host, port }, index) => ({
    host,
    port,
    step: missed[index]?.details['step'],
    reason: missed[index]?.details['reason'],
  }))
  return new Fault('provider_error', {
    public:
      `No mail server answers at the usual names: ${candidates.map(({ host, port }) => `${host}:${port}`).join(', ')}. ` +
      'Name it with --host, as the mail provider gives it. Nothing was stored or changed.',
    details: { step: 'resolve', reason: 'unreachable', tried },
  })
}

/** @throws invalid_arguments for a file that is not there or holds no certificate. */
export async function readPem(path: string): Promise<string> {
  try {
    const pem = await readFile(path, 'utf8')
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new TypeError('no certificate in it')
    return pem
  } catch (error) {
    throw new Fault('invalid_arguments', {
      public:
        'The file of certificate authorities cannot be read, or holds no certificate in PEM form. Nothing was changed.',
      details: { argument: 'ca_file' },
      cause: error,
    })
  }
}
