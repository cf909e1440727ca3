import type { Composition } from '../compose/compose.io.ts'
import type { Settings } from '../config.io.ts'
import type { Login } from '../core/login.ts'
import { reasonOf } from '../core/reasons.ts'
import { says } from '../core/says.ts'
import { SettingError } from '../core/setting-error.ts'
import { refuse, type Verdict } from '../core/verdict.ts'
import { visibleLine } from '../core/visible.ts'
import type { DevicePrompt } from '../login/device.ts'
import { readTokenFile } from '../login/token-file.io.ts'
import { tell } from './output.io.ts'

/** @throws SettingError when the way to sign in is missing, or there are two. */
export function checkSignIn(customer: string | undefined, settings: Settings): void {
  if (settings.OIDC_ISSUER === undefined) {
    if (customer !== undefined) return
    throw new SettingError('--as', 'is missing', 'Say who signs in: --as alice, --as bob or --as carol')
  }
  if (customer !== undefined) {
    throw new SettingError(
      '--as',
      'works at the embedded issuer only',
      'Leave --as out to sign in at OIDC_ISSUER, or unset OIDC_ISSUER',
    )
  }
  if (settings.LOGIN_TOKEN_FILE === undefined && settings.OIDC_CLIENT_ID === undefined) {
    const fix = 'Name the file that holds the token, or set OIDC_CLIENT_ID to sign in with a browser'
    throw new SettingError('LOGIN_TOKEN_FILE', 'is not set while OIDC_ISSUER is', fix)
  }
}

/**
 * The login of `--as` at the embedded issuer; at a real one that of the token file, else of whoever enters the code that
 * is shown. Call after `checkSignIn`; `interrupt` ends the wait for a person.
 * @throws SettingError when nobody could be signed in; it says why.
 */
export async function signIn(
  composition: Composition,
  customer: string | undefined,
  settings: Settings,
  interrupt: AbortSignal,
): Promise<Login> {
  if (settings.OIDC_ISSUER !== undefined) return signInForReal(composition, settings, interrupt)
  const name = customer ?? ''
  const login = await composition.signIn(composition.tenant, name)
  if (login.ok) return login.value
  const problem = `"${name}" could not sign in: ${says(login.reason, [])}`
  throw new SettingError('--as', problem, 'Use alice, bob or carol')
}

async function signInForReal({ tenant, banks }: Composition, settings: Settings, signal: AbortSignal): Promise<Login> {
  const issuer = banks.get(tenant)?.issuer
  const { LOGIN_TOKEN_FILE: file, OIDC_CLIENT_ID: clientId = '', OIDC_SCOPE: scope, OIDC_RESOURCE: resource } = settings
  let login: Verdict<Login> = refuse('login.tenant_unknown', 'not a tenant of this process')
  if (issuer !== undefined && file !== undefined) {
    const { token, warning } = readTokenFile(file)
    if (warning !== undefined) tell(`warning: ${warning}`)
    login = await issuer.verify(token)
  } else if (issuer !== undefined) {
    login = await issuer.signInByDevice({ clientId, scope, resource, show, signal })
  }
  if (login.ok) return login.value
  const problem = `nobody is signed in: ${says(login.reason, [])} (${login.detail})`
  throw new SettingError(file === undefined ? 'OIDC_ISSUER' : 'LOGIN_TOKEN_FILE', problem, reasonOf(login.reason).fix)
}

function show({ verificationUri, verificationUriComplete, userCode, expiresInSeconds }: DevicePrompt): void {
  const minutes = Math.max(1, Math.floor(expiresInSeconds / 60))
  tell(`To sign in, open ${visibleLine(verificationUri)} within ${minutes} min and enter the code ${userCode}`)
  if (verificationUriComplete !== undefined) tell(`or open ${visibleLine(verificationUriComplete)}`, 'dim')
}
