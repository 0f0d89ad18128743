import { Fault, quote } from '@postern/core'
import {
  autoconfig,
  findServiceOfHost,
  mailServices,
  submissionOf,
  type ImapCandidate,
  type SmtpSettings,
} from '@postern/providers'

export interface ImapOptions {
  readonly address: string
  readonly preset?: string
  readonly host?: string
  readonly port?: string
  readonly tls?: string
  readonly username?: string
  /** False: none, the mailbox is to be read only. */
  readonly smtp?: boolean
  readonly smtpHost?: string
  readonly smtpPort?: string
  readonly smtpTls?: string
  readonly smtpUsername?: string
}

const tlsModes = ['implicit', 'starttls', 'none'] as const
const usualSmtpPorts = { implicit: 465, starttls: 587, none: 587 } as const
const usualPorts = { implicit: 993, starttls: 143, none: 143 } as const

/**
 * Where the mailbox may be, the likeliest first: what the options say, else what is known or usual for the
 * domain of the address. Asks nobody.
 * @throws invalid_arguments.
 */
export function imapCandidates(options: ImapOptions): readonly ImapCandidate[] {
  const { address } = options
  if (address.length > 320 || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(address)) {
    throw invalid('address', `${quote(address)} is no mail address.`)
  }
  const tls = options.tls === undefined ? undefined : parseTls(options.tls, 'tls')
  const port = options.port === undefined ? undefined : parsePort(options.port, 'port')
  const found = baseCandidates(options, tls ?? (port === 143 ? 'starttls' : 'implicit'))
  if (found.length === 0) {
    throw invalid('host', `There is no usual mail server for ${quote(address)}. Name it with --host.`)
  }
  const candidates = found.map((candidate) => ({
    ...candidate,
    tls: tls ?? candidate.tls,
    port: port ?? (tls === undefined ? candidate.port : usualPorts[tls]),
    username: options.username ?? candidate.username,
    submissions: submissionsOf(options, candidate.submissions),
  }))
  return candidates.filter((candidate, index) => candidates.findIndex(isSame(candidate)) === index)
}

/** The one server that was named, or the preset's, or those of the domain. */
function baseCandidates(options: ImapOptions, tls: ImapCandidate['tls']): readonly ImapCandidate[] {
  const { address, host } = options
  if (options.preset !== undefined) {
    const service = serviceOf(options.preset)
    const username = service.username === 'address' ? address : address.slice(0, address.lastIndexOf('@'))
    const submissions = [submissionOf(service)]
    return [{ ...service.imap, ...(host === undefined ? {} : { host }), username, service, submissions }]
  }
  if (host === undefined) return autoconfig(address)
  const service = findServiceOfHost(host)
  const submissions = service === null ? [] : [submissionOf(service)]
  return [{ host, port: usualPorts[tls], tls, username: address, service, submissions }]
}

/** Whether the options name a submission server, or say anything of it. */
export function isSubmissionNamed({ smtpHost, smtpPort, smtpTls, smtpUsername }: ImapOptions): boolean {
  return [smtpHost, smtpPort, smtpTls, smtpUsername].some((value) => value !== undefined)
}

/** What the options say of sending, else what is known or usual. */
function submissionsOf(options: ImapOptions, known: readonly SmtpSettings[]): readonly SmtpSettings[] {
  if (options.smtp === false) return []
  if (!isSubmissionNamed(options)) return known
  const [first] = known
  const host = options.smtpHost ?? first?.host
  if (host === undefined) throw invalid('smtp-host', 'Name the submission server with --smtp-host.')
  const port = options.smtpPort === undefined ? undefined : parsePort(options.smtpPort, 'smtp-port')
  const usual = port === undefined ? (first?.tls ?? 'implicit') : port === 465 ? 'implicit' : 'starttls'
  const tls = options.smtpTls === undefined ? usual : parseTls(options.smtpTls, 'smtp-tls')
  const { smtpUsername: username } = options
  return [{ host, port: port ?? usualSmtpPorts[tls], tls, ...(username === undefined ? {} : { username }) }]
}

function serviceOf(preset: string) {
  const service = mailServices.find(({ id }) => id === preset.toLowerCase())
  if (service !== undefined) return service
  throw invalid(
    'preset',
    `There is no preset ${quote(preset)}. There are: ${mailServices.map(({ id }) => id).join(', ')}.`,
  )
}

function parseTls(text: string, option: string): ImapCandidate['tls'] {
  const mode = tlsModes.find((known) => known === text)
  if (mode === undefined) throw invalid(option, `--${option} must be one of ${tlsModes.join(', ')}.`)
  return mode
}

function parsePort(text: string, option: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw invalid(option, `--${option} must be 1 to 65535.`)
  return port
}

function isSame(one: ImapCandidate): (other: ImapCandidate) => boolean {
  return (other) => other.host === one.host && other.port === one.port && other.tls === one.tls
}

function invalid(argument: string, text: string): Fault {
  return new Fault('invalid_arguments', { public: `${text} Nothing was changed.`, details: { argument } })
}
