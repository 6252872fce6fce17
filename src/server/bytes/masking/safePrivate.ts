/**
 * Private elements that the Retain Safe Private Option keeps: those of PS3.15 table E.3.10-1 that are numbers and terms of how
 * a scanner measured, by group, creator and last two digits. They are kept if their values look like that.
 */
const SAFE: ReadonlySet<string> = new Set(
  [
    // SUV Factor, Activity Concentration Factor.
    '7053 Philips PET Private Group 00 09',
    // DLP, Acquisition Duration; Phantom Type; Acquisition Type, Table Velocity, Pitch, Rotation Time.
    '00e1 ELSCINT1 21 50',
    '01e1 ELSCINT1 26',
    '01f1 ELSCINT1 01 07 26 27',
    // Table Speed, Mid Scan Time, Rotation Speed, Internal Pulse Sequence Name.
    '0019 GEMS_ACQU_01 23 24 27 9e',
    // Images in Series.
    '0025 GEMS_SERS_01 07',
    // Scan Pitch Ratio, B Value, Scanner Table Entry.
    '0043 GEMS_PARM_01 27 39 6f',
    // Number of Macro Rows in Detector, Macro Width at ISO Center.
    '0045 GEMS_HELIOS_01 01 02',
    // Reject, Significant and Confidential Flag.
    '0903 GEIIS PACS 10 11 12',
    // Diffusion B-Factor, Diffusion Direction.
    '2001 Philips Imaging DD 001 03 04',
    // B Value, Diffusion Directionality, Diffusion Gradient Direction, B Matrix.
    '0019 SIEMENS MR HEADER 0c 0d 0e 27',
  ].flatMap((line) => {
    const [, group = '', creator = '', elements = ''] = /^(\w{4}) (.+?)((?: [\da-f]{2})+)$/.exec(line) ?? [];
    return elements.split(' ').flatMap((element) => (element === '' ? [] : [nameOf(group, creator, element)]));
  }),
);

const CREATORS: ReadonlySet<string> = new Set(Array.from(SAFE, (name) => name.slice(0, name.lastIndexOf(' '))));

function nameOf(group: string, creator: string, element: string): string {
  return `${group} ${creator} ${element}`;
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/** Whether a block of this creator has elements that are kept. */
export function isSafeCreator(tag: number, creator: string): boolean {
  return CREATORS.has(`${hex(tag >>> 16, 4)} ${creator}`);
}

/** `creator` is that of the block of the element. */
export function isSafePrivate(tag: number, creator: string): boolean {
  return SAFE.has(nameOf(hex(tag >>> 16, 4), creator, hex(tag & 0xff, 2)));
}

const NUMBERS: ReadonlySet<string> = new Set(['FL', 'FD', 'SL', 'SS', 'US', 'UL']);
const LONGEST = 128;

/** Numbers, and terms of capital letters; not what could be a name or a date. */
export function isSafeValue(vr: string, bytes: Uint8Array): boolean {
  if (bytes.length > LONGEST) return false;
  if (NUMBERS.has(vr)) return true;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (vr === 'DS' || vr === 'IS') return /^[\d+\-.eE\\ \0]*$/.test(text);
  // A term, or a ratio such as 0.531:1.
  return (vr === 'CS' || vr === 'LO' || vr === 'SH') && /^(?:[A-Z_ ]{0,16}|[\d.]{1,8}:\d)[ \0]*$/.test(text);
}
