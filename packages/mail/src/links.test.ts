import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeLink, readLinkTarget, renderTextLinks, type LinkTarget } from './links.ts'

function target(href: string): LinkTarget {
  const found = readLinkTarget(href)
  assert.ok(found !== null, href)
  return found
}

describe('where a link leads', () => {
  test('is its true host, in ASCII', () => {
    const hosts = {
      'https://Example.org/a': 'example.org',
      'https://bank.example@evil.example/': 'evil.example',
      'https://b\u0430nk.example/': 'xn--bnk-6cd.example',
      'https:\\\\evil.example\\a': 'evil.example',
      '//evil.example/a': 'evil.example',
      'www.example.org/a': 'www.example.org',
      'http://2130706433/': '127.0.0.1',
      'https://example.org:8443/': 'example.org:8443',
      ' ht\ntps://example.org ': 'example.org',
    }
    for (const [href, host] of Object.entries(hosts)) {
      const found = target(href)
      assert.equal(found.kind === 'web' ? found.host : null, host, href)
    }
  })
  test('is nowhere for schemes that run, load or stay inside', () => {
    const hrefs = [
      'javascript:x',
      'JaVa\tScript:x',
      ' data:text/html,x',
      'vbscript:x',
      'cid:a@b',
      '#top',
      '',
      'a/b',
    ]
    for (const href of [
      ...hrefs,
      'file:///etc/passwd',
      'http://',
      'https://[',
      `https://a.example/${'x'.repeat(20_000)}`,
    ]) {
      assert.equal(readLinkTarget(href), null, href.slice(0, 40))
    }
  })
  test('never shows the user name that imitates a host', () => {
    const found = target('https://bank.example:pw@evil.example/a?b=1')
    assert.equal(found.kind === 'web' ? found.url : null, 'https://evil.example/a?b=1')
  })
})

describe('the text of a link is followed by the truth (check 50)', () => {
  const evil = target('https://evil.example/path')
  test('the host by default, the address on request, nothing for none', () => {
    assert.equal(describeLink('Log in', evil, 'hosts'), ' (evil.example)')
    assert.equal(describeLink('Log in', evil, 'full'), ' <https://evil.example/path>')
    assert.equal(describeLink('Log in', evil, 'none'), '')
  })
  test('a text that names another host is corrected in every mode', () => {
    for (const text of [
      'bank.example',
      'https://bank.example/evil.example',
      'go to www.bank.example.',
      'evil.example bank.example',
    ]) {
      assert.equal(describeLink(text, evil, 'hosts'), ' (evil.example)', text)
      assert.equal(describeLink(text, evil, 'none'), ' (evil.example)', text)
    }
  })
  test('a text that names the true host needs no more', () => {
    for (const text of ['evil.example', 'https://www.evil.example/path/index.html', 'Evil.Example']) {
      assert.equal(describeLink(text, evil, 'hosts'), '', text)
    }
    assert.equal(describeLink('https://evil.example/path', evil, 'full'), '')
  })
  test('an address of mail that differs is shown', () => {
    const mail = target('mailto:mallory@evil.example?subject=x')
    assert.equal(describeLink('Write us', mail, 'hosts'), ' (mallory@evil.example)')
    assert.equal(describeLink('Mallory@evil.example', mail, 'hosts'), '')
    assert.equal(describeLink('help@bank.example', mail, 'none'), ' (mallory@evil.example)')
    assert.equal(describeLink('Write us', mail, 'none'), '')
  })
})

describe('addresses in running text', () => {
  test('stay as they are written (check 89)', () => {
    const text =
      'See https://example.org/a?x=ed12&y=(1), or <http://example.org>. https://\u4f8b\u3048.example/'
    assert.equal(renderTextLinks(text, 'hosts'), text)
    assert.equal(renderTextLinks(text, 'full'), text)
  })
  test('are followed by their true host where they mislead', () => {
    const cases = {
      'https://bank.example@evil.example/': 'evil.example',
      'https://b\u0430nk.example/': 'xn--bnk-6cd.example',
      'http://0x7f.1/': '127.0.0.1',
    }
    for (const [url, host] of Object.entries(cases)) {
      assert.equal(renderTextLinks(`go ${url} now`, 'hosts'), `go ${url} (${host}) now`)
    }
  })
  test('are left out on request', () => {
    assert.equal(renderTextLinks('a https://x.example/y b', 'none'), 'a [link] b')
  })
  test('cost no more than their length', () => {
    const start = performance.now()
    for (const text of ['http://', 'https://a@b/ ', ')', 'http://x)))))))']) {
      renderTextLinks(text.repeat(Math.floor(500_000 / text.length)), 'hosts')
    }
    assert.ok(performance.now() - start < 20_000)
  })
})
