import type { Redirect } from '../firewall/shell/stage.ts'

/** Where a descriptor of a command goes: to what the model reads, into the next command, into a file, or nowhere. */
export type Sink = 'out' | 'err' | 'nowhere' | { readonly path: string; readonly append: boolean }

/** What a command reads, and where its two outputs go. */
export interface Streams {
  /** `inherit`: what the command before it writes, or nothing. */
  readonly input: 'inherit' | 'empty' | { readonly path: string }
  readonly out: Sink
  readonly err: Sink
}

/** Follows redirects in their order, as a shell does: `>f 2>&1` and `2>&1 >f` differ. */
export function streamsOf(redirects: readonly Redirect[]): Streams {
  return redirects.reduce<Streams>(followed, { input: 'inherit', out: 'out', err: 'err' })
}

function followed(streams: Streams, redirect: Redirect): Streams {
  switch (redirect.kind) {
    case 'read':
      return { ...streams, input: { path: redirect.path } }
    case 'empty':
      return { ...streams, input: 'empty' }
    case 'write':
      return withSink(streams, redirect.descriptor, { path: redirect.path, append: redirect.append })
    case 'discard':
      return withSink(streams, redirect.descriptor, 'nowhere')
    case 'join':
      return withSink(streams, redirect.descriptor, redirect.into === 1 ? streams.out : streams.err)
  }
}

const withSink = (streams: Streams, descriptor: 1 | 2, sink: Sink): Streams =>
  descriptor === 1 ? { ...streams, out: sink } : { ...streams, err: sink }

/** The commands of a line as pipelines, each with how it hangs on the one before. */
export interface Pipeline<Stage> {
  readonly joint: '&&' | '||' | ';'
  readonly stages: readonly Stage[]
}

/** Groups stages that a pipe joins; the first of a line runs whatever its joint says. */
export function pipelines<Stage extends { readonly joint: '|' | '&&' | '||' | ';' }>(
  stages: readonly Stage[],
): readonly Pipeline<Stage>[] {
  return stages.reduce<readonly Pipeline<Stage>[]>((lines, stage) => {
    const last = lines.at(-1)
    if (stage.joint === '|' && last !== undefined) {
      return [...lines.slice(0, -1), { ...last, stages: [...last.stages, stage] }]
    }
    return [...lines, { joint: stage.joint === '|' ? ';' : stage.joint, stages: [stage] }]
  }, [])
}

/** Whether a pipeline runs, given how the one before ended; `undefined`: there was none. */
export const runsAfter = (joint: Pipeline<unknown>['joint'], before: number | undefined): boolean =>
  before === undefined || joint === ';' || (joint === '&&' ? before === 0 : before !== 0)
