import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loginReason } from './login-refusal.ts'

test('check 245: what services say of a refused login is told apart', () => {
  const cases = [
    ['AUTHENTICATIONFAILED', 'Invalid credentials (Failure)', 'login_refused'],
    [null, 'LOGIN failed.', 'login_refused'],
    [
      'ALERT',
      'Application-specific password required: https://support.example/ (Failure)',
      'app_password_needed',
    ],
    [null, 'NEOBHODIM parol prilozheniya / Application password is REQUIRED', 'app_password_needed'],
    ['WEBALERT', 'https://accounts.example/', 'web_login_needed'],
    ['ALERT', 'Please log in via your web browser', 'web_login_needed'],
    ['ALERT', 'Your account is not enabled for IMAP use.', 'imap_disabled'],
    ['AUTHENTICATIONFAILED', 'LOGIN invalid credentials or IMAP is disabled', 'imap_disabled'],
    [null, 'AUTHENTICATE failed. BasicAuthBlocked', 'oauth_needed'],
    ['EXPIRED', 'Password expired', 'password_expired'],
    [null, 'User is authenticated but not connected.', 'mailbox_not_connected'],
    [null, 'Maximum number of connections from user+IP exceeded', 'too_many_connections'],
    ['UNAVAILABLE', 'Temporary authentication failure.', 'temporary'],
    [null, 'Internal error occurred. Try again later.', 'temporary'],
  ] as const
  for (const [code, text, reason] of cases) assert.equal(loginReason(code, text), reason, text)
})

test('a long text is judged by its beginning, in little time', () => {
  const started = Date.now()
  assert.equal(loginReason(null, `exceeded ${'x'.repeat(5_000_000)} connections`), 'login_refused')
  assert.ok(Date.now() - started < 500)
})
