/** What one name on the disk is; a link is not followed. */
export interface Entry {
  /** `other`: a device, pipe or socket. `unreadable`: the system refuses to say. */
  readonly kind: 'file' | 'directory' | 'link' | 'other' | 'unreadable'
  /** Device and inode, as `dev:ino`: two names with the same identity are one thing. Empty when unreadable. */
  readonly identity: string
  /** How many names the thing has. */
  readonly links: number
  /** In bytes. */
  readonly size: number
  /** Changes whenever the content or the state of the file does. */
  readonly version: string
}

/** What a name is, without which thing it is. */
export type Glance = Pick<Entry, 'kind' | 'links'>

/**
 * The disk as the firewall sees it. Synchronous, because a check that waits is a check that can be raced by the agent's
 * next call. No method follows a link, and none throws for what a disk may hold.
 */
export interface Disk {
  /** Undefined when there is nothing with this name. */
  lstat(path: string): Entry | undefined
  /** The part of `lstat` that a walk over thousands of names needs: nothing is kept, and hardly anything made. */
  glance(path: string): Glance | undefined
  /** Where a link points, as it is spelled; undefined when it is no link or cannot be read. */
  readlink(path: string): string | undefined
  /** The names in a folder, in no order; undefined when it is no folder or cannot be read. */
  readdir(path: string): readonly string[] | undefined
  /** The bytes of a regular file of at most `maxBytes`; undefined when it is none, is larger or cannot be read. */
  read(path: string, maxBytes: number): Uint8Array | undefined
}
