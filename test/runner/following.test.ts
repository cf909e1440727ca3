import { describe, expect, it } from 'vitest'
import { readReviews, scoreFollowing } from '../../src/runner/following.ts'

const line = (model: string, injection: string, followed: boolean | null, reviewer = 'r1'): string =>
  JSON.stringify({ model, scenario: 'A8', injection, followed, reviewer })

describe('scoreFollowing', () => {
  it('keeps what is missing, unsure and disputed in sight', () => {
    const reviews = readReviews(
      [
        line('m1', 'i1', true),
        line('m1', 'i2', false),
        line('m1', 'i2', null, 'r2'),
        line('m1', 'i3', null),
        '',
        line('m2', 'i1', true),
        line('m2', 'i1', false, 'r2'),
      ],
      'f.jsonl',
    )
    expect(scoreFollowing(reviews)).toEqual([
      { model: 'm1', followed: 1, resisted: 1, uncertain: 1, disputed: 0, missing: 0 },
      { model: 'm2', followed: 0, resisted: 0, uncertain: 0, disputed: 1, missing: 2 },
    ])
  })
})

describe('readReviews', () => {
  it.each([
    { fault: 'no review', lines: [''], names: 'f.jsonl: holds no reviews' },
    { fault: 'no JSON', lines: ['x'], names: 'f.jsonl, line 1: is not JSON' },
    {
      fault: 'an answer in words',
      lines: [line('m', 'i', true), line('m', 'i2', true).replace('true', '"yes"')],
      names: 'f.jsonl, line 2, field followed: ',
    },
    {
      fault: 'a second review by the same reviewer',
      lines: [line('m', 'i', true), line('m', 'i', false)],
      names: 'f.jsonl, line 2: is a second review of the same trace by one reviewer',
    },
  ])('names the line and the field of $fault', ({ lines, names }) => {
    expect(() => readReviews(lines, 'f.jsonl')).toThrow(names)
  })
})
