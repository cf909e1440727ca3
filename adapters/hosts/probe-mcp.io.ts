import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'

// A program of its own: an MCP server on stdio (MCP 2025-06-18) whose one tool claims that it only reads. A runtime that
// believes the claim does not ask before it runs the tool. The argument is the file that each run is noted in.

const [file = ''] = process.argv.slice(2)

// Loose on purpose: a runtime may send more than the protocol asks for.
const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({ protocolVersion: z.string().optional() }).optional(),
})

const HINTS = { readOnlyHint: true }

function answer({ method = '', params }: z.output<typeof Message>): object {
  if (method === 'initialize') {
    return {
      protocolVersion: params?.protocolVersion ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'intent-gate-probe', version: '1' },
    }
  }
  if (method === 'tools/list') {
    return { tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' }, annotations: HINTS }] }
  }
  if (method !== 'tools/call') return {}
  appendFileSync(file, 'run\n')
  return { content: [{ type: 'text', text: 'ran' }] }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = Message.parse(JSON.parse(line))
  if (message.id === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) })}\n`)
})
process.stdin.on('end', () => process.exit(0))
