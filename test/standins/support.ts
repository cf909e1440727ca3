import { onTestFinished } from 'vitest'

/** Closes whatever a test started, when that test ends. */
export async function started<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting
  onTestFinished(() => server.close())
  return server
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return answerOf(await fetch(url, { headers }))
}

/** Posts JSON, unless `body` is text or bytes already. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const sent = { 'content-type': 'application/json', ...headers }
  return answerOf(await fetch(url, { method: 'POST', headers: sent, body: raw }))
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** One A2A 1.0 request as it is on the wire. */
export const sendMessage = (text: string, metadata: unknown = { subject_type: 'Customer', subject_id: 'bob' }) => ({
  jsonrpc: '2.0',
  method: 'SendMessage',
  id: 7,
  params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }], metadata } },
})

export const a2a = { 'a2a-version': '1.0', authorization: 'Bearer demo-token' }
