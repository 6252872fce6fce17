import { expect, test } from 'vitest';
import { endpointForms, parseRows } from './socketTable.ts';

// Rows as printed by Linux 5.15: a listener of user 1000 on port 8080 (0x1F90), the client's end of a connection to it,
// a connection in TIME_WAIT, and a connection with IPv6 addresses, whose rows are not padded.
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31562 1 0000000000000000 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 31563 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:C351 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0000000000000000
 103: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:C352 01 00000000:00000000 00:00000000 00000000  1000        0 31565 1 0000000000000000 20 4 30 10 -1
`;

test('rows with the port at either end give endpoints, state, user and inode', () => {
  const six = '00000000000000000000000001000000';
  expect(parseRows(TABLE, 8080)).toEqual([
    { local: '0100007F:1F90', remote: '00000000:0000', state: '0A', uid: 1000, inode: 31562 },
    { local: '0100007F:C350', remote: '0100007F:1F90', state: '01', uid: 1001, inode: 31563 },
    { local: '0100007F:C351', remote: '0100007F:1F90', state: '06', uid: 0, inode: 0 },
    { local: `${six}:1F90`, remote: `${six}:C352`, state: '01', uid: 1000, inode: 31565 },
  ]);
});

test('rows of other ports are left out', () => {
  expect(parseRows(TABLE, 0xc350)).toHaveLength(1);
  expect(parseRows(TABLE, 80)).toEqual([]);
  // The queue sizes contain colons too.
  expect(parseRows(TABLE, 0)).toHaveLength(1);
});

test.each(['', '\n', 'nonsense :1F90 ', '  sl\n 0: 1 2', '0: 1:1F90 2:1F90 01'])(
  'a table that reads %j has no rows',
  (table) => {
    expect(parseRows(table, 8080)).toEqual([]);
  },
);

// Each 32-bit word of the address is printed as a little-endian number; 8080 is 0x1F90.
test.each([
  ['127.0.0.1', ['0100007F:1F90', '0000000000000000FFFF00000100007F:1F90']],
  ['::ffff:127.0.0.1', ['0100007F:1F90', '0000000000000000FFFF00000100007F:1F90']],
  ['192.168.1.20', ['1401A8C0:1F90', '0000000000000000FFFF00001401A8C0:1F90']],
  ['::1', ['00000000000000000000000001000000:1F90']],
  ['::', ['00000000000000000000000000000000:1F90']],
  ['2001:db8::8:800:200c:417a', ['B80D012000000000000808007A410C20:1F90']],
  ['fe80::1%eth0', ['000080FE000000000000000001000000:1F90']],
  ['not an address', []],
])('%s is looked for as %j', (address, forms) => {
  expect([...endpointForms(address, 8080)]).toEqual(forms);
});
