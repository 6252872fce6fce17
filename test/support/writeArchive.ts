import { crc32, deflateRawSync } from 'node:zlib';

export type ArchivedFile = { readonly name: string; readonly bytes: Uint8Array };

/** How an entry of a zip deviates from an ordinary one; every field replaces what is written in that place. */
export type ZipEntry = ArchivedFile & {
  readonly isStored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  /** In the directory only. */
  readonly declared?: { readonly size?: number; readonly packed?: number; readonly crc?: number; readonly at?: number };
  readonly localName?: string;
  /** The upper half of the external attributes: the mode of a Unix file. */
  readonly mode?: number;
};

export type ZipOptions = {
  readonly before?: Uint8Array;
  readonly comment?: string;
  /** All sizes and places are in the fields of zip64. */
  readonly isZip64?: boolean;
  readonly disk?: number;
  readonly count?: number;
};

/** A zip archive as APPNOTE.TXT 6.3 describes it. */
export function writeZip(files: readonly ZipEntry[], options: ZipOptions = {}): Uint8Array {
  const { before = new Uint8Array(0), comment = '', isZip64 = false, disk = 0, count = files.length } = options;
  const parts: Uint8Array[] = [before];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const file of files) {
    const { name, bytes, isStored = false, flags = 0x0800, declared = {} } = file;
    const data = isStored ? bytes : deflateRawSync(bytes, { level: 1 });
    const method = file.method ?? (isStored ? 0 : 8);
    const crc = crc32(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(bytes.length, 22);
    const localName = Buffer.from(file.localName ?? name);
    local.writeUInt16LE(localName.length, 26);
    parts.push(local, localName, data);

    const sizes = {
      size: declared.size ?? bytes.length,
      packed: declared.packed ?? data.length,
      at: declared.at ?? at,
    };
    const extra = isZip64 ? Buffer.alloc(28) : Buffer.alloc(0);
    if (isZip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      for (const [i, value] of [sizes.size, sizes.packed, sizes.at].entries()) {
        extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
      }
    }
    const shown = (value: number) => (isZip64 ? 0xffffffff : value);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(0x0300 + 45, 4);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(declared.crc ?? crc, 16);
    entry.writeUInt32LE(shown(sizes.packed), 20);
    entry.writeUInt32LE(shown(sizes.size), 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38);
    entry.writeUInt32LE(shown(sizes.at), 42);
    directory.push(entry, Buffer.from(name), extra);
    at += local.length + localName.length + data.length;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  if (isZip64) directory.push(...end64({ count, length, start: at }));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(disk, 4);
  end.writeUInt16LE(disk, 6);
  end.writeUInt16LE(isZip64 ? 0xffff : count, 8);
  end.writeUInt16LE(isZip64 ? 0xffff : count, 10);
  end.writeUInt32LE(isZip64 ? 0xffffffff : length, 12);
  end.writeUInt32LE(isZip64 ? 0xffffffff : at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, ...directory, end, Buffer.from(comment)]);
}

function end64({ count, length, start }: { count: number; length: number; start: number }): Uint8Array[] {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + length), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}

export type TarEntry = ArchivedFile & { readonly type?: string; readonly link?: string; readonly size?: number };

/** A tar archive of the ustar format; a long name is written as an attribute of POSIX. */
export function writeTar(files: readonly TarEntry[]): Uint8Array {
  const parts = files.flatMap(({ name, bytes, type = '0', link = '', size = bytes.length }) => {
    const isLong = Buffer.byteLength(name) > 100;
    const attributes = isLong ? tarEntry({ name: 'attributes', bytes: paxRecord('path', name), type: 'x' }) : [];
    return [...attributes, ...tarEntry({ name: isLong ? name.slice(0, 80) : name, bytes, type, link, size })];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

/** One entry, with its attributes as they are given. */
export function tarEntry({ name, bytes, type = '0', link = '', size = bytes.length }: TarEntry): Uint8Array[] {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
export function paxRecord(key: string, value: string): Uint8Array {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length += 1;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
