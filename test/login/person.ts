import type { DevicePrompt } from '../../src/login/device.ts'

/** What a person does with a browser: follows redirects, keeps cookies, fills in forms. */
interface Browser {
  readonly open: (
    url: string,
    fields?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly url: string; readonly html: string }>
}

function newBrowser(): Browser {
  const cookies = new Map<string, string>()
  const open: Browser['open'] = async (url, fields) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const html = await response.text()
    const location = response.headers.get('location')
    return location === null ? { url, html } : open(new URL(location, url).href)
  }
  return { open }
}

const hidden = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )

/** Opens the address, enters the code, confirms it and signs in; `nobody` refuses at the end. Gives the last page. */
export async function signInAs(customer: string, prompt: Omit<DevicePrompt, 'expiresInSeconds'>): Promise<string> {
  const { open } = newBrowser()
  const asked = await open(prompt.verificationUri)
  const { xsrf = '' } = hidden(asked.html)
  const confirm = await open(prompt.verificationUri, { xsrf, user_code: prompt.userCode })
  const { url } = await open(prompt.verificationUri, { xsrf, user_code: prompt.userCode, confirm: 'yes' })
  if (!confirm.html.includes(prompt.userCode)) throw new Error('the page to confirm shows another code')
  return (await open(url, { customer })).html
}

/** Opens the address, enters the code and says that it is not theirs. */
export async function disownCode(prompt: DevicePrompt): Promise<void> {
  const { open } = newBrowser()
  const { html } = await open(prompt.verificationUri)
  await open(prompt.verificationUri, { xsrf: hidden(html)['xsrf'] ?? '', user_code: prompt.userCode, abort: 'yes' })
}
