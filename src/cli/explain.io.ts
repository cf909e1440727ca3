import { SettingError } from '../core/setting-error.ts'
import { columns } from './columns.io.ts'
import { explained, neighbours, reasonObjects, reasonRows } from './explain.ts'
import { hanging } from './hanging.ts'
import { paint, print, printJson, table } from './output.io.ts'

/** `intent-gate explain [CODE]`: one reason in full, or all of them as a table; with `json` one object a code. */
export function explainCommand(code: string | undefined, { json }: { readonly json?: boolean }): void {
  if (code === undefined && json !== true) {
    print(table(['code', 'cause', 'HTTP', 'retry', 'what happened'], reasonRows()))
    return
  }
  if (code === undefined) {
    for (const each of reasonObjects()) printJson(each)
    return
  }
  const reason = explained(code)
  if (reason === undefined) {
    const near = neighbours(code).join(', ')
    const fix = near === '' ? 'Run `intent-gate explain` for the list' : `Did you mean one of ${near}?`
    throw new SettingError('CODE', `"${code}" is not a reason code`, fix)
  }
  if (json === true) {
    printJson(reasonObjects(reason.code)[0])
    return
  }
  print(paint.bold(reason.code))
  print(hanging('', reason.says, columns()))
  for (const [label, text] of reason.rows) print(hanging(label.padEnd(8), text, columns()))
}
