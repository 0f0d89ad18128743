import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unflow } from './unflow.ts'

describe('format=flowed (RFC 3676)', () => {
  test('joins what a trailing space broke', () => {
    assert.equal(unflow('One long \nline.\n\nNext. \n', false), 'One long line.\n\nNext. ')
  })
  test('joins within one quote depth only', () => {
    assert.equal(unflow('> a \n> b\n>> c \n> d\ne', false), '> a b\n>> c \n> d\ne')
  })
  test('undoes space-stuffing', () => {
    assert.equal(unflow(' From here\n >no quote\n> > one', false), 'From here\n>no quote\n> > one')
  })
  test('drops the space at the break with DelSp', () => {
    assert.equal(unflow('\u4f1a \n\u8b70 \n', true), '\u4f1a\u8b70')
  })
  test('leaves the signature mark a line of its own', () => {
    assert.equal(unflow('Bye \n-- \nAnn', false), 'Bye \n-- \nAnn')
    assert.equal(unflow('> a\n> -- \n> Ann', true), '> a\n> -- \n> Ann')
  })
})
