import { generateKeyPairSync, sign } from 'node:crypto'

const OID_ED25519 = '06032b6570'
const OID_COMMON_NAME = '0603550403'
const SEQUENCE = 0x30

function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((each) => (typeof each === 'string' ? Buffer.from(each, 'hex') : each)))
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** A key and a certificate (RFC 5280, RFC 8410) that nobody vouches for. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algorithm = der(SEQUENCE, OID_ED25519)
  const commonName = der(SEQUENCE, OID_COMMON_NAME, der(0x0c, Buffer.from('127.0.0.1')))
  const name = der(SEQUENCE, der(0x31, commonName))
  const date = (text: string): Buffer => der(0x17, Buffer.from(text))
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, '02')),
    der(0x02, '01'),
    algorithm,
    name,
    der(SEQUENCE, date('200101000000Z'), date('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, '00', sign(null, content, privateKey))
  const body = der(SEQUENCE, content, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  }
}
