import { Fault } from '@postern/core'
import type { Call } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { findServiceOfHost, type MailService } from '../mail-service.ts'
import type { ImapCredential } from './credential.ts'
import { dial, type DialOptions, type DialStage } from './dial.ts'
import { smtpAccount } from './smtp-account.ts'
import { smtpDial } from './smtp-dial.ts'
import { openFolder } from './open-folder.ts'
import { requireOk, type DialReason } from './faults.ts'

/** The step that failed; `done` when none did. */
export type CheckStep = DialStage | 'list' | 'submission' | 'done'

/** The result of a connection test, for the owner. Our own words throughout; nothing the server said is in it. */
export interface ConnectionCheck {
  readonly ok: boolean
  readonly step: CheckStep
  /** A `DialReason`, a fault code where there is none, or null when all went well. */
  readonly reason: string | null
  readonly advice: string
  /** Further things to try, the likeliest first. */
  readonly suggestions: readonly string[]
  /** Id of the service that the server belongs to, where it is known. */
  readonly service: string | null
}

/**
 * Tries a mailbox step by step and says which one failed: name, connection, TLS, greeting, login, INBOX,
 * and where a submission server is named, the login there. It reads no message, sends none and changes nothing; its
 * connections are closed before it returns.
 * @throws `signal.reason` only.
 */
export async function checkConnection(
  credential: ImapCredential,
  options: DialOptions,
  call: Call,
): Promise<ConnectionCheck> {
  const service = findServiceOfHost(credential.host)
  const progress: { step: CheckStep } = { step: 'resolve' }
  const fault = await attempt(
    () => tryOut(credential, options, progress, call),
    call,
    () => true,
  )
  if (fault instanceof Fault) {
    return failedCheck(fault, { credential, service, step: progress.step }, call)
  }
  return {
    ok: true,
    step: 'done',
    reason: null,
    advice:
      credential.smtp === undefined
        ? 'The mailbox can be read. It cannot send: no submission server is named.'
        : 'The mailbox can be read, and its submission server takes its mail.',
    suggestions: [],
    service: service?.id ?? null,
  }
}

async function tryOut(
  credential: ImapCredential,
  options: DialOptions,
  progress: { step: CheckStep },
  call: Call,
): Promise<void> {
  const onStage = (stage: DialStage): void => void (progress.step = stage)
  const connection = await dial(credential, { ...options, onStage }, call)
  progress.step = 'list'
  const lease = connection.lease(call, () => false)
  const inbox = ['', 'INBOX'].map((value) => ({ type: 'STRING', value }) as const)
  try {
    requireOk(await lease.run('LIST', inbox), 'LIST')
    await openFolder(lease, 'INBOX', 'read')
  } finally {
    await connection.end()
  }
  const account = smtpAccount(credential)
  if (account === null) return
  progress.step = 'submission'
  const { allowPrivateHosts, extraCa } = options
  const smtp = await smtpDial(account, { allowPrivateHosts, extraCa }, call)
  smtp.connection.leave()
}

interface Circumstances {
  readonly credential: ImapCredential
  readonly service: MailService | null
  readonly step: CheckStep
}

function failedCheck(fault: Fault, at: Circumstances, call: Call): ConnectionCheck {
  const { service, credential } = at
  call.log.info('connection_check_failed', {
    step: at.step,
    fault_code: fault.code,
    reference: fault.reference,
  })
  const said = fault.details['reason']
  const reason = sharpen(typeof said === 'string' ? said : fault.code, service)
  if (at.step === 'submission') return failedSubmission(reason, service)
  return {
    ok: false,
    step: stepOf(reason, at.step),
    reason,
    advice: `${adviceOf(reason)} Nothing was changed.`,
    suggestions: suggestionsFor(reason, credential, service),
    service: service?.id ?? null,
  }
}

function failedSubmission(reason: string, service: MailService | null): ConnectionCheck {
  const said = submissionAdvice[reason] ?? advice[reason]
  const known = service?.smtp
  return {
    ok: false,
    step: 'submission',
    reason,
    advice: `The mailbox can be read, but its submission server cannot be used. ${said ?? 'It answered in a way that Postern cannot use.'} Nothing was changed.`,
    suggestions: [
      ...(known === undefined
        ? ['Port 465 goes with tls implicit, port 587 with tls starttls.']
        : [`${service?.name ?? ''} sends by ${known.host}, port ${known.port}, tls ${known.tls}.`]),
      'Without a submission server the mailbox can be read and not send.',
    ],
    service: service?.id ?? null,
  }
}

const submissionAdvice: Readonly<Record<string, string>> = {
  login_refused: 'It refused the user name or the password, which may be others than those for reading.',
  login_disabled: 'It allows no login with a password on this port.',
  not_smtp: 'What answers at this host and port does not speak SMTP, or not in time.',
  turned_away: 'It does not talk to this machine.',
  starttls_refused: 'It offers STARTTLS and then refuses it, and no password is sent without TLS.',
  smtp_disabled:
    'Sending is switched off for this mailbox. Switch it on in the settings of the mail service.',
  lost: 'It closed the connection. Try again later.',
}

/** A bare refusal means more where the service is known. */
function sharpen(reason: string, service: MailService | null): string {
  if (reason !== 'login_refused' && reason !== 'login_disabled') return reason
  if (service?.needsOauth) return 'oauth_needed'
  return service?.appPassword?.isAlways ? 'app_password_needed' : reason
}

// A greeting that never comes and a login that is never answered look alike from outside the library.
function stepOf(reason: string, reached: CheckStep): CheckStep {
  if (reason === 'starttls_missing' || reason.startsWith('tls_')) return 'tls'
  if (reason in loginAdvice) return 'login'
  return reached
}

const loginAdvice: Readonly<Partial<Record<DialReason, string>>> = {
  login_refused: 'The mail server refused the user name or the password.',
  app_password_needed:
    'This mail service does not take the password of the account here; it wants an app password.',
  web_login_needed:
    'The mail service wants its owner to log in with a web browser first, and to confirm that it was them.',
  imap_disabled: 'IMAP is switched off for this mailbox. Switch it on in the settings of the mail service.',
  oauth_needed:
    'This mail service takes no password over IMAP. It has to be connected by signing in with the service.',
  password_expired: 'The password has expired. Set a new one at the mail service.',
  mailbox_not_connected:
    'The password is right, but the account has no mailbox that it may open: check the user name, and whether the account has a licence with a mailbox.',
  login_disabled: 'The mail server allows no login with a password on this port.',
  too_many_connections:
    'The mail server has too many connections to this mailbox already. Close other mail programs, or try later.',
  temporary: 'The mail server cannot check passwords at the moment. Try again later.',
  login_timeout: 'The mail server did not finish the login in time. Try again later.',
}

const advice: Readonly<Record<string, string>> = {
  ...loginAdvice,
  dns: 'The name of the mail server does not exist or could not be looked up. Check its spelling.',
  private_address:
    'The name of the mail server leads to a private address, which this service does not dial.',
  port_not_allowed: 'This service dials mail servers only on the usual mail ports.',
  cleartext_refused: 'This service does not send a password without TLS.',
  unreachable: 'No mail server answers at this host and port.',
  tls_expired: 'The certificate of the mail server is not valid at this date. Its operator must renew it.',
  tls_self_signed: 'The mail server has a certificate that it signed itself, which proves nothing.',
  tls_untrusted: 'The certificate of the mail server comes from an authority that is not trusted here.',
  tls_name_mismatch: 'The certificate of the mail server is for another name than the one given.',
  tls_not_spoken: 'The mail server does not speak TLS from the start on this port.',
  tls_failed: 'No secure connection to the mail server could be made.',
  starttls_missing: 'The mail server offers no TLS on this port, and no password is sent without it.',
  not_imap: 'What answers at this host and port does not speak IMAP, or not in time.',
  folder_not_found: 'The login works, but the mailbox has no INBOX that can be opened.',
  timeout: 'The mail server was too slow. Try again later.',
}

function adviceOf(reason: string): string {
  return advice[reason] ?? 'The mail server answered in a way that Postern cannot use.'
}

function suggestionsFor(
  reason: string,
  credential: ImapCredential,
  service: MailService | null,
): readonly string[] {
  const isLogin = reason in loginAdvice
  const known = service?.imap
  const isOther = known !== undefined && (known.port !== credential.port || known.tls !== credential.tls)
  return [
    ...(isOther && !isLogin
      ? [`${service?.name ?? ''} is reached at ${known.host}, port ${known.port}, tls ${known.tls}.`]
      : []),
    ...(isLogin ? loginSuggestions(reason, credential, service) : (settingSuggestions[reason] ?? [])),
  ]
}

const ownMachine =
  'A self-hosted installation allows private hosts and other ports with POSTERN_ALLOW_PRIVATE_HOSTS=1, set for the service and for its commands.'

const settingSuggestions: Readonly<Record<string, readonly string[]>> = {
  unreachable: [
    'Port 993 goes with tls implicit, port 143 with tls starttls.',
    'The server is often imap.<domain> or mail.<domain>.',
  ],
  tls_not_spoken: ['Use tls starttls with port 143, or port 993 with tls implicit.'],
  starttls_missing: ['Use port 993 with tls implicit.'],
  not_imap: [
    'Check the port: 993 with tls implicit, or 143 with tls starttls. 25, 465 and 587 are for sending.',
  ],
  tls_name_mismatch: ['Use the host name that the mail provider gives, not an own name that points to it.'],
  tls_self_signed: [
    'A self-hosted installation may be given the certificate of its mail server to trust: --ca-file for this mailbox, POSTERN_EXTRA_CA_FILE for all.',
  ],
  tls_untrusted: [
    'A self-hosted installation may be given the certificate of its own authority to trust: --ca-file for this mailbox, POSTERN_EXTRA_CA_FILE for all.',
  ],
  private_address: [ownMachine],
  port_not_allowed: ['The usual ones are 993 and 143.', ownMachine],
  cleartext_refused: [ownMachine],
}

function loginSuggestions(
  reason: string,
  { username }: ImapCredential,
  service: MailService | null,
): readonly string[] {
  const isAboutPassword = ['login_refused', 'app_password_needed'].includes(reason)
  const page = service?.appPassword?.url
  return [
    ...(isAboutPassword && service?.appPassword
      ? [`Make an app password${page === undefined || page === null ? '' : ` at ${page}`} and use it here.`]
      : []),
    ...(isAboutPassword && service?.username !== 'local_part' && !username.includes('@')
      ? ['Give the whole address as user name.']
      : []),
    ...(service === null || service.note === null ? [] : [service.note]),
  ]
}
