import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** PEM texts. */
export interface Certified {
  readonly key: string
  /** Signed with its own key: whoever should trust it takes it as its certificate authority. */
  readonly cert: string
}

const HOUR_MS = 3_600_000
const SEQUENCE = 0x30
const OID_ECDSA_SHA256 = '06082a8648ce3d040302'
const OID_COMMON_NAME = '0603550403'
const OID_ALTERNATIVE_NAME = '0603551d11'
/** `[2] localhost` and `[7] 127.0.0.1` (RFC 5280, 4.2.1.6). */
const NAMES = ['82096c6f63616c686f7374', '87047f000001']

/** A new key and a certificate for it on loopback, good for a day (RFC 5280): for trying TLS, never for a real service. */
export function throwawayCertificate(nowMs = Date.now()): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(SEQUENCE, OID_ECDSA_SHA256)
  const commonName = der(SEQUENCE, OID_COMMON_NAME, der(0x0c, Buffer.from('intent-gate stand-in, throwaway')))
  const name = der(SEQUENCE, der(0x31, commonName))
  const alternativeNames = der(SEQUENCE, OID_ALTERNATIVE_NAME, der(0x04, der(SEQUENCE, ...NAMES)))
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, '02')),
    // A serial number is positive.
    der(0x02, '01', randomBytes(15)),
    algorithm,
    name,
    der(SEQUENCE, utcTime(nowMs - HOUR_MS), utcTime(nowMs + 24 * HOUR_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, alternativeNames)),
  )
  const body = der(SEQUENCE, content, algorithm, der(0x03, '00', sign('sha256', content, privateKey)))
  const lines = body.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd()
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((each) => (typeof each === 'string' ? Buffer.from(each, 'hex') : each)))
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** `YYMMDDhhmmssZ` */
const utcTime = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`))
