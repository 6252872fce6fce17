import { type HostileFile, image, shown } from '../hostileFile.ts';

const TEXTS = {
  'a script': '<script>fetch("/api/files")</script>',
  'an image tag': '"><img src=x onerror=alert(1)>',
  'escape codes': '\u001b[31m\u001b]52;c;aGk=\u0007',
  'bidirectional controls': 'a\u202egnp.exe\u2066b\u2069',
  'line breaks': 'a\r\nnegato: server running at http://evil\n{"type":"server_started"}',
  'a formula': '=cmd|" /C calc"!A0',
  'half a surrogate pair and a null': 'a\ud800b\u0000c',
  'ten thousand combining marks': `a${'\u0301'.repeat(10_000)}`,
};

/** File names cannot contain a slash or a null, and have at most 255 bytes. */
const fileName = (text: string) => text.replaceAll(/[/\0\ud800-\udfff]/g, '_').slice(0, 100);

/** Names of patients and files with text that could be mistaken for more than text. */
export const names: readonly HostileFile[] = Object.entries(TEXTS).flatMap(([what, text]) => [
  shown(`a patient called ${what}`, () =>
    image({
      SpecificCharacterSet: 'ISO_IR 192',
      PatientName: { vr: 'PN', value: Buffer.from(text) },
      SeriesDescription: { vr: 'LO', value: Buffer.from(text) },
      SOPInstanceUID: { vr: 'UI', value: Buffer.from(text.slice(0, 64)) },
    }),
  ),
  shown(`${fileName(text)} is the name of this file`, () => image()),
]);
