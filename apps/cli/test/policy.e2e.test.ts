import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { install, list, type Installation } from './support/postern.ts'

describe('rules of sending at the command line', () => {
  let postern: Installation
  let keyId = ''
  const inbox = 'robin@sandbox.example'
  before(async () => {
    postern = await install()
    await postern.json(['tenant', 'create', 'Ada'])
    await postern.json(['inbox', 'connect', 'sandbox'])
    keyId = String((await postern.json(['key', 'create']))['key_id'])
  })
  after(() => postern.remove())

  it('what is set is shown, and what is not named stays', async () => {
    assert.deepEqual(list((await postern.json(['policy', 'show', inbox]))['policies']), [])
    await postern.json(['policy', 'set', inbox, '--approval', 'on', '--sends-per-day', '20'])
    const rules = [
      '--recipients',
      'list:Amy@Acme.example,@home.example',
      '--recipients',
      'known-correspondents',
    ]
    const { policies } = await postern.json(['policy', 'set', inbox, '--key', keyId, ...rules])
    assert.deepEqual(policies, [
      { key_id: null, recipient_rules: null, sends_per_day: 20, send_approval: true, bulk_review: false },
      {
        key_id: keyId,
        recipient_rules: [
          { kind: 'list', entries: ['Amy@Acme.example', '@home.example'] },
          { kind: 'known_correspondents' },
        ],
        sends_per_day: null,
        send_approval: false,
        bulk_review: false,
      },
    ])
    const { stdout } = await postern.run(['policy', 'show', inbox])
    assert.match(stdout, /list:Amy@Acme\.example,@home\.example and known-correspondents/)
    const unset = ['policy', 'set', inbox, '--key', keyId, '--recipients', 'unset']
    assert.equal(list((await postern.json(unset))['policies'])[1]?.['recipient_rules'], null)
  })

  it('a rule that nobody could meet by it is refused, and so are nonsense, another key and nothing at all', async () => {
    const set = ['policy', 'set', inbox]
    for (const rest of [
      ['--recipients', 'everyone'],
      ['--recipients', 'list:'],
      ['--recipients', 'list:not an address'],
      ['--recipients', 'list:acme.example'],
      ['--recipients', 'anyone', '--recipients', 'unset'],
      ['--sends-per-day', '-1'],
      ['--approval', 'maybe'],
      ['--approval', 'on', '--key', 'key_unknown'],
    ]) {
      assert.equal((await postern.error([...set, ...rest]))['code'], 'invalid_arguments', rest.join(' '))
    }
    assert.equal((await postern.error(set))['code'], 'missing_argument')
    const { policies } = await postern.json(['policy', 'show', inbox])
    assert.equal(list(policies)[0]?.['sends_per_day'], 20)
  })

  it('without a terminal nothing is approved or rejected', async () => {
    assert.deepEqual((await postern.json(['approvals', 'list']))['approvals'], [])
    for (const verdict of ['approve', 'reject']) {
      const { code, details } = await postern.error(['approvals', verdict, 'ap_00000000000000000000'])
      assert.deepEqual([code, details], ['invalid_arguments', { reason: 'no_terminal' }])
    }
    const unknown = await postern.error(['approvals', 'show', 'ap_00000000000000000000'])
    assert.equal(unknown['code'], 'invalid_arguments')
  })
})
