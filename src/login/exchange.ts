import { z } from 'zod'
import { TransportError } from '../core/transport-error.ts'
import type { HttpAnswer, HttpRequest, World } from '../core/world.ts'

/** Milliseconds that the issuer may take for one answer. */
const ISSUER_MS = 5_000

type Ask = Omit<HttpRequest, 'method' | 'headers' | 'signal'> & {
  readonly headers?: HttpRequest['headers']
  /** Ends the exchange early. */
  readonly signal?: AbortSignal | undefined
}

/** One exchange with the issuer, in 5 seconds at most: a POST when there is a body. @throws TransportError only. */
export async function exchange(world: World, url: string, ask: Ask = {}): Promise<HttpAnswer> {
  if (!URL.canParse(url)) throw new TransportError('answer', 'an endpoint of the issuer is not a URL')
  const { signal: given, headers = {}, ...rest } = ask
  const deadline = world.deadline(ISSUER_MS)
  const signal = given === undefined ? deadline.signal : AbortSignal.any([deadline.signal, given])
  try {
    const method = rest.body === undefined ? 'GET' : 'POST'
    return await world.send(new URL(url), { ...rest, method, headers, signal })
  } finally {
    deadline.clear()
  }
}

/** A form as OAuth endpoints read it; what is undefined is left out (RFC 6749, appendix B). */
export function form(fields: Readonly<Record<string, string | undefined>>): Pick<HttpRequest, 'body' | 'contentType'> {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
  return { body: new URLSearchParams(given).toString(), contentType: 'application/x-www-form-urlencoded' }
}

/** The body of a 200. @throws TransportError for any other status, and for a body of another form. */
export function read<T>(schema: z.ZodType<T>, { status, body }: HttpAnswer): T {
  if (status !== 200) throw new TransportError('answer', `the issuer answered ${status}`)
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new TransportError('answer', 'the issuer answered in another form')
  return parsed.data
}

// Loose on purpose: a token answer may hold more (RFC 6749, 5.1).
const Token = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
  token_type: z.string().regex(/^bearer$/i),
})

/** The access token of a token answer. @throws TransportError when there is none that is good for a bearer. */
export const readToken = (answer: HttpAnswer): string => read(Token, answer).access_token
