import type { Fault } from '@postern/core'
import { loginReason } from './login-refusal.ts'
import type { SmtpAccount } from './smtp-account.ts'
import type { SmtpSession } from './smtp-dial.ts'
import { smtpLoginRefused, smtpUnavailable, type SmtpReason } from './smtp-faults.ts'
import type { SmtpReply } from './smtp-reply.ts'

/**
 * Proves who we are, with PLAIN or else LOGIN. RFC 4954, RFC 4616.
 * @throws inbox_reconnect_required, provider_unavailable (passing trouble of the server), provider_error, timeout.
 */
export async function smtpLogin(session: SmtpSession, account: SmtpAccount): Promise<void> {
  const offered = session.extensions.get('AUTH') ?? []
  const mechanism = ['PLAIN', 'LOGIN'].find((name) => offered.includes(name))
  if (mechanism === undefined) {
    const isOauth = offered.some((name) => name === 'XOAUTH2' || name === 'OAUTHBEARER')
    throw smtpLoginRefused(isOauth ? 'oauth_needed' : 'login_disabled', `AUTH: ${offered.join(' ')}`)
  }
  const reply = await (mechanism === 'PLAIN' ? sayPlain(session, account) : sayLogin(session, account))
  if (reply.code !== 235) throw refusal(reply, account)
}

function sayPlain(
  { connection, timeouts }: SmtpSession,
  { username, password }: SmtpAccount,
): Promise<SmtpReply> {
  return connection.ask('AUTH', `AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, timeouts.commandMs)
}

/** Never standardised, and all that some servers take: they ask for the name, then for the password. */
async function sayLogin(
  { connection, timeouts }: SmtpSession,
  { username, password }: SmtpAccount,
): Promise<SmtpReply> {
  let reply = await connection.ask('AUTH', 'AUTH LOGIN', timeouts.commandMs)
  for (const answer of [username, password]) {
    if (reply.code !== 334) return reply
    reply = await connection.ask('AUTH', base64(answer), timeouts.commandMs)
  }
  return reply
}

function refusal(reply: SmtpReply, account: SmtpAccount): Fault {
  const said = withoutSecrets(reply.lines.join(' '), account)
  const internal = `AUTH: ${reply.code} ${said}`
  const reason = reasonOf(reply, said)
  const isPassing = reason === 'temporary' || reason === 'too_many_connections'
  return isPassing ? smtpUnavailable(reason, internal) : smtpLoginRefused(reason, internal)
}

function reasonOf({ code, enhancedCode }: SmtpReply, said: string): SmtpReason {
  // Exchange: the password may be right, but submission is switched off for the mailbox.
  if (
    /smtp ?client ?authentication is disabled|smtp auth(?:entication)? is (?:disabled|not enabled)/i.test(
      said,
    )
  )
    return 'smtp_disabled'
  // RFC 4954 6: 4.7.12 asks for a password that is to be set anew, 534 for another mechanism.
  if (enhancedCode === '4.7.12') return 'password_expired'
  const reason = loginReason(null, said)
  if (code < 500 && reason !== 'too_many_connections') return 'temporary'
  return reason === 'imap_disabled' || reason === 'mailbox_not_connected' ? 'smtp_disabled' : reason
}

/** What a server repeats of what it was told has no place in a log. */
function withoutSecrets(said: string, { username, password }: SmtpAccount): string {
  const secrets = [`\0${username}\0${password}`, password, username].flatMap((text) => [base64(text), text])
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[...]'), said)
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
