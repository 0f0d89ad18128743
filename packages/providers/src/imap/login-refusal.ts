/** What a refused login means for the owner. Everything but `temporary` needs the owner to act. */
export type LoginReason =
  | 'login_refused'
  | 'app_password_needed'
  | 'web_login_needed'
  | 'imap_disabled'
  | 'oauth_needed'
  | 'password_expired'
  | 'mailbox_not_connected'
  | 'too_many_connections'
  | 'temporary'

// Each is a fragment of what a known service says. First hit wins, so the specific ones stand first.
const phrases: readonly (readonly [RegExp, LoginReason])[] = [
  [
    /too many|maximum number of (?:simultaneous |user )?connections|connection limit|exceeded .{0,40}connections/i,
    'too_many_connections',
  ],
  [/authenticated but not connected/i, 'mailbox_not_connected'],
  [
    /application[- ]?(?:specific )?password|app[- ]?(?:specific )?password|parol prilozheniya|authorization code/i,
    'app_password_needed',
  ],
  [/web browser|weblogin|web login|webalert|log in to your account online/i, 'web_login_needed'],
  [/basic ?auth|modern auth|oauth|xoauth2/i, 'oauth_needed'],
  [
    /not enabled for imap|imap (?:access |service )?(?:is )?(?:disabled|not enabled|not allowed|switched off)|enable imap/i,
    'imap_disabled',
  ],
  [
    /temporar|try again|unavailable|internal (?:server )?error|server busy|system error|overload/i,
    'temporary',
  ],
]

// RFC 5530 3. Codes say it better than words, where a server sends them.
const codes: ReadonlyMap<string, LoginReason> = new Map([
  ['UNAVAILABLE', 'temporary'],
  ['INUSE', 'temporary'],
  ['SERVERBUG', 'temporary'],
  ['LIMIT', 'too_many_connections'],
  ['EXPIRED', 'password_expired'],
  ['WEBALERT', 'web_login_needed'],
])

/** Reads the code and the text of a tagged NO or BAD to LOGIN or AUTHENTICATE. */
export function loginReason(code: string | null, text: string): LoginReason {
  const byCode = code === null ? undefined : codes.get(code)
  const line = text.slice(0, 1_000)
  return byCode ?? phrases.find(([shape]) => shape.test(line))?.[1] ?? 'login_refused'
}
