export interface Progress {
  readonly session: (faults: readonly string[], ownMb: number) => void
  readonly kill: (faults: readonly string[]) => void
  readonly end: () => void
}

const BAR = 24

/** One line on a terminal that is written anew; nothing elsewhere. */
export function soakProgress({ sessions, kills }: { readonly sessions: number; readonly kills: number }): Progress {
  const done = { sessions: 0, kills: 0, faults: 0, mb: 0 }
  const draw = (): void => {
    if (!process.stderr.isTTY) return
    const share = (done.sessions + done.kills) / Math.max(1, sessions + kills)
    const filled = Math.round(Math.min(1, share) * BAR)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`
    const counts = `${done.sessions}/${sessions} sessions · ${done.kills}/${kills} kills · ${done.mb} MB · ${done.faults} faults`
    process.stderr.write(`\r${bar} ${counts}\u001b[K`)
  }
  return {
    session: (faults, ownMb) => {
      done.sessions += 1
      done.faults += faults.length
      done.mb = Math.round(ownMb)
      draw()
    },
    kill: (faults) => {
      done.kills += 1
      done.faults += faults.length
      draw()
    },
    end: () => {
      if (process.stderr.isTTY) process.stderr.write('\n')
    },
  }
}
