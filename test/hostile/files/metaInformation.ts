import { explicit, implicit, join } from '../../support/rawElements.ts';
import { type HostileFile, IMAGE_HEADER, image, longs, PIXELS, shown, skipped } from '../hostileFile.ts';

const DATA_SET = () => join(IMAGE_HEADER(), PIXELS());
const SYNTAX = explicit(0x00020010, 'UI', '1.2.840.10008.1.2.1\0');

function withMeta(...elements: readonly Uint8Array[]): Uint8Array {
  return join(new Uint8Array(128), Buffer.from('DICM'), ...elements, DATA_SET());
}

const withLength = (length: number) => withMeta(explicit(0x00020000, 'UL', longs(length)), SYNTAX);

/** Meta information with a missing, wrong or huge length, and preambles of other file formats. */
export const metaInformation: readonly HostileFile[] = [
  shown('no meta length', () => withMeta(SYNTAX)),
  shown('meta length 0', () => withLength(0)),
  shown('meta length one too small', () => withLength(SYNTAX.length - 1)),
  shown('meta length one too large', () => withLength(SYNTAX.length + 1)),
  shown('meta length beyond the file', () => withLength(1_000_000)),
  shown('meta length 2^31', () => withLength(2 ** 31)),
  shown('meta length 2^32-1', () => withLength(2 ** 32 - 1)),
  shown('meta length of the wrong VR', () => withMeta(explicit(0x00020000, 'LO', 'many'), SYNTAX)),
  shown('no transfer syntax', () => withMeta(explicit(0x00020000, 'UL', longs(0)))),
  shown('implicit meta information', () => withMeta(implicit(0x00020010, '1.2.840.10008.1.2.1\0'))),
  shown('no meta information at all', () => withMeta()),
  skipped('a preamble and nothing behind it', 'dicom_parse_failed', () =>
    join(new Uint8Array(128), Buffer.from('DICM')),
  ),
  skipped('an empty file', 'not_dicom', () => new Uint8Array(0)),
  skipped('a file of one byte', 'not_dicom', () => Uint8Array.of(8)),
  ...Object.entries({
    'a Windows program': Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0', 'latin1'),
    'a Linux program': Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0', 'latin1'),
    'a PNG': Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0', 'latin1'),
    'a TIFF': Buffer.from('II*\0\x08\0\0\0', 'latin1'),
    'a BigTIFF': Buffer.from('II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0', 'latin1'),
    'a web page': Buffer.from('<!doctype html><script>fetch("/api/files")</script>'),
    'a shell script': Buffer.from('#!/bin/sh\nrm -rf "$HOME"\n'),
  }).map(([what, magic]) =>
    shown(`a preamble that is ${what}`, () => {
      const bytes = image();
      bytes.set(magic, 0);
      return bytes;
    }),
  ),
];
