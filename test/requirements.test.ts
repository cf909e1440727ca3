import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { REQUIREMENTS } from './requirements.ts'

const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && file !== 'requirements.test.ts')
  .map((file) => readFileSync(join('test', file), 'utf8'))

it.each(Object.keys(REQUIREMENTS))('has a test that proves %s', (id) => {
  expect(sources.some((source) => source.includes(`proves('${id}')`))).toBe(true)
})
