import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findQuotedHistory } from './quoted-history.ts'

function own(text: string, marked: number | null = null): string | null {
  const from = findQuotedHistory(text, marked)
  return from === null ? null : text.slice(0, from).trim()
}

const attributions = {
  English: 'On Mon, Nov 2, 2026 at 10:00 AM Ann <ann@x.example> wrote:',
  'English, wrapped': 'On Mon, Nov 2, 2026 at 10:00 AM Ann With A Long Name <ann@x.example>\nwrote:',
  German: 'Am 02.11.26 um 10:00 schrieb Ann:',
  French: 'Le lun. 2 nov. 2026 \u00e0 10:00, Ann <ann@x.example> a \u00e9crit :',
  Spanish: 'El lun, 2 nov 2026 a las 10:00, Ann (<ann@x.example>) escribi\u00f3:',
  Italian: 'Il giorno lun 2 nov 2026 alle ore 10:00 Ann <ann@x.example> ha scritto:',
  Portuguese: 'Em seg., 2 de nov. de 2026 \u00e0s 10:00, Ann <ann@x.example> escreveu:',
  Dutch: 'Op ma 2 nov 2026 om 10:00 schreef Ann <ann@x.example>:',
  Swedish: 'Den m\u00e5n 2 nov. 2026 kl 10:00 skrev Ann <ann@x.example>:',
  Danish: 'Den man. 2. nov. 2026 kl. 10.00 skrev Ann <ann@x.example>:',
  Norwegian: 'man. 2. nov. 2026 kl. 10:00 skrev Ann <ann@x.example>:',
  Finnish: 'ma 2. marrask. 2026 klo 10.00 Ann (ann@x.example) kirjoitti:',
  Polish: 'pon., 2 lis 2026 o 10:00 Ann <ann@x.example> napisa\u0142(a):',
  Russian: '\u043f\u043d, 2 \u043d\u043e\u044f\u0431. 2026 \u0433. \u0432 10:00, Ann <ann@x.example>:',
  Japanese: '2026\u5e7411\u67082\u65e5(\u6708) 10:00 Ann <ann@x.example>:',
  Chinese: 'Ann <ann@x.example> \u4e8e2026\u5e7411\u67082\u65e5\u5468\u4e00 10:00\u5199\u9053\uff1a',
}

describe('history begins at its attribution', () => {
  for (const [language, line] of Object.entries(attributions)) {
    test(`${language}, over quoted lines`, () => {
      assert.equal(own(`Room 5 is fine.\n\n${line}\n\n> Which room?\n>\n>> None\n`), 'Room 5 is fine.')
    })
    test(`${language}, over lines without marks`, () => {
      assert.equal(own(`Room 5 is fine.\n\n${line}\n\nWhich room?\n`), 'Room 5 is fine.')
    })
  }
  test('in words nobody listed, over quoted lines', () => {
    assert.equal(own('Ja.\n\n2. 11. 2026 v 10:00, Ann napsala:\n> Ano?'), 'Ja.')
  })
})

describe('history begins at a marker', () => {
  const headers = 'From: Ann <ann@x.example>\nSent: Monday\nTo: Bo\nSubject: Rooms'
  const blocks = [
    `-----Original Message-----\n${headers}`,
    `________________________________\n${headers}`,
    `*From:* Ann\n*Sent:* Monday\n*To:* Bo\n*Subject:* Rooms`,
    '----- Urspr\u00fcngliche Nachricht -----\nVon: Ann\nGesendet: Montag\nAn: Bo\nBetreff: Zimmer',
    'De : Ann <ann@x.example>\nEnvoy\u00e9 : lundi\n\u00c0 : Bo\nObjet : Salles',
    '\u5dee\u51fa\u4eba: Ann\n\u9001\u4fe1\u65e5\u6642: 2026\n\u5b9b\u5148: Bo\n\u4ef6\u540d: x',
    '\u53d1\u4ef6\u4eba\uff1aAnn\n\u53d1\u9001\u65f6\u95f4\uff1a2026\n\u6536\u4ef6\u4eba\uff1aBo\n\u4e3b\u9898\uff1ax',
    '-------- \u0418\u0441\u0445\u043e\u0434\u043d\u043e\u0435 \u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435 --------\nx',
  ]
  for (const block of blocks) {
    test(JSON.stringify(block.split('\n')[0]).slice(1, 40), () => {
      const text = `Yes.\n\n${block}\n\nWhich room?\n`
      assert.equal(own(text), 'Yes.')
      assert.ok(text.slice(findQuotedHistory(text) ?? 0).startsWith(block))
    })
  }
})

describe('what is no history', () => {
  const texts = {
    'an answer below the quote': 'On 2 Nov 2026 at 10:00, Ann wrote:\n> Which room?\n\nRoom 5.',
    'answers between quotes, but for the last quote': '> a?\nYes.\n> b?\nNo.',
    'a forwarded mail':
      'See below.\n\n---------- Forwarded message ---------\nFrom: Ann <a@x.example>\nDate: Mon\nSubject: x\nTo: Bo\n\nOn 2 Nov 2026 at 10:00, Cy wrote:\n> c',
    'a mail forwarded by a phone':
      'Look\n\nBegin forwarded message:\n\nFrom: Ann <a@x.example>\nSubject: x\nDate: Mon\nTo: Bo\n\nText',
    'an itinerary': 'Your trip:\n\nFrom: Berlin\nTo: Paris\nDate: 5 May 2026\n\nHave fun',
    'a mail of nothing else': 'On 2 Nov 2026 at 10:00, Ann wrote:\n> Which room?',
    'prose with a colon': 'As 3 of us wrote:\nwe come at 5.',
    'no text': '',
  }
  for (const [name, text] of Object.entries(texts)) {
    test(name, () => {
      assert.equal(own(text), null)
    })
  }
  test('the last quote below answers is history, the answers are not', () => {
    assert.equal(own('> a?\nYes.\n> b?\nNo.\n> c?'), '> a?\nYes.\n> b?\nNo.')
  })
})

describe('what markup said', () => {
  test('counts when it comes first', () => {
    assert.equal(own('Yes.\n\nAnn asked\nWhich room?', 6), 'Yes.')
    const text = 'Yes.\n\nAnn asked, a while ago:\n> a\nb'
    assert.equal(own(text, text.indexOf('>')), 'Yes.\n\nAnn asked, a while ago:')
  })
  test('does not make history of a forwarded mail', () => {
    assert.equal(own('Look\n---------- Forwarded message ---------\nFrom: a', 5), null)
  })
})

test('a signature or list footer may follow the quote', () => {
  assert.equal(own('Yes.\n\n> a?\n\n-- \nAnn\nx.example'), 'Yes.')
  assert.equal(own('Yes.\n\n> a?\n_______________________________\nlist@x.example'), 'Yes.')
})

test('a hostile text costs no more than its length', () => {
  const start = performance.now()
  for (const piece of [
    '> ',
    '>\n',
    'On 1 2 wrote:\n',
    '- ',
    '----\n',
    'From: a@b\n',
    '1 2:\n\n',
    ':',
    '\n',
    '1\n',
  ]) {
    findQuotedHistory(piece.repeat(Math.floor(400_000 / piece.length)))
  }
  assert.ok(performance.now() - start < 20_000)
})
