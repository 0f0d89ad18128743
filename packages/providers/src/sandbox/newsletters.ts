import { bodyEntity, escapeHtml } from './body.ts'
import type { Newsletter } from './content.ts'
import { deliver, domainOf, type World } from './delivery.ts'
import type { SandboxMessage } from './sandbox-message.ts'
import { weeklyMoment } from './timeline.ts'

type Issue = Newsletter['issues'][number]

/** The issues of a newsletter, one a week, the first of the table being the latest. */
export function newsletterMessages(world: World, newsletter: Newsletter): SandboxMessage[] {
  return newsletter.issues.map((issue, index) => {
    const label = `${newsletter.key}/${index}`
    const domain = domainOf(newsletter.from.email)
    const leaveUrl = `https://${domain}/unsubscribe/${world.seeded.token(`${label}/leave`, 16)}`
    return deliver(world, {
      label,
      head: {
        from: newsletter.from,
        to: [world.owner],
        subject: issue.subject,
        date: weeklyMoment(newsletter.weekday, newsletter.clock, index, world.now),
        extra: [
          `List-Id: ${newsletter.key}.${domain}`,
          // RFC 8058: one click is enough.
          `List-Unsubscribe: <${leaveUrl}>,\r\n <mailto:leave@${domain}>`,
          'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
        ],
      },
      entity: bodyEntity(world, {
        label,
        form: newsletter.form,
        text: plainIssue(issue, leaveUrl),
        html: htmlIssue(newsletter, issue, leaveUrl),
        encoding: 'quoted-printable',
        charset: 'utf-8',
      }),
      folder: newsletter.folder,
      returnPath: `bounce-${world.seeded.token(label, 8)}@${domain}`,
    })
  })
}

function plainIssue(issue: Issue, leaveUrl: string): string {
  const items = issue.items.map(([title, text]) => `* ${title}\n  ${text}`)
  return [issue.lead, ...items, `Unsubscribe: ${leaveUrl}`, ''].join('\n\n')
}

function htmlIssue(newsletter: Newsletter, issue: Issue, leaveUrl: string): string {
  const domain = domainOf(newsletter.from.email)
  const items = issue.items.map(
    ([title, text], index) =>
      `<tr><td style="padding:12px 24px"><h2 style="color:${newsletter.accent}">` +
      `<a href="https://${domain}/read/${index + 1}">${escapeHtml(title)}</a></h2>` +
      `<p>${escapeHtml(text)}</p></td></tr>`,
  )
  return [
    `<!doctype html><html lang="${newsletter.language}"><head><meta charset="utf-8">`,
    '<style>.pre{display:none;font-size:1px} a{color:inherit}</style></head>',
    '<body style="margin:0;background:#f4f2ee">',
    `<div class="pre">${escapeHtml(issue.lead)}</div>`,
    '<table role="presentation" width="600" align="center" style="background:#ffffff">',
    `<tr><td style="padding:24px;background:${newsletter.accent};color:#ffffff">` +
      `<img src="https://${domain}/logo.png" alt="${escapeHtml(newsletter.from.name)}" width="160"></td></tr>`,
    `<tr><td style="padding:12px 24px"><p><b>${escapeHtml(issue.lead)}</b></p></td></tr>`,
    ...items,
    `<tr><td style="padding:12px 24px;font-size:11px"><a href="${leaveUrl}">Unsubscribe</a></td></tr>`,
    `</table><img src="https://${domain}/open.gif" width="1" height="1" alt=""></body></html>`,
    '',
  ].join('\n')
}
