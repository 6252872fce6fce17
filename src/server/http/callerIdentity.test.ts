import { connect, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCallerLookup, endpointForms, findOwner, parseSocketTable, type SocketTable } from './callerIdentity.ts';

// Rows as Linux 5.15 prints them: a listener of user 1000, and the client's end of a connection to it.
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31562 1 0000000000000000 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 31563 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:C351 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0000000000000000
`;

test('a row of the table gives endpoints, state, user and inode', () => {
  expect(parseSocketTable(TABLE)).toEqual([
    { local: '0100007F:1F90', remote: '00000000:0000', state: '0A', uid: 1000, inode: 31562 },
    { local: '0100007F:C350', remote: '0100007F:1F90', state: '01', uid: 1001, inode: 31563 },
    { local: '0100007F:C351', remote: '0100007F:1F90', state: '06', uid: 0, inode: 0 },
  ]);
});

describe('the owner of a connection', () => {
  const rows = parseSocketTable(TABLE);
  const ends = { local: endpointForms('127.0.0.1', 50_000), remote: endpointForms('127.0.0.1', 8080) };

  test('is found by both ends', () => {
    expect(findOwner(rows, ends)).toBe(1001);
  });

  test('is the same when the kernel has written its row twice', () => {
    expect(findOwner([...rows, ...rows], ends)).toBe(1001);
  });

  test('is nobody when two sockets have these ends, or only one that is closed', () => {
    expect(findOwner([...rows, ...rows.map((row) => ({ ...row, inode: row.inode + 9 }))], ends)).toBeUndefined();
    expect(findOwner(rows, { ...ends, local: endpointForms('127.0.0.1', 50_001) })).toBeUndefined();
  });
});

test.each(['', '\n', 'nonsense', '  sl\n 0: 1 2'])('a table that reads %j has no rows', (table) => {
  expect(parseSocketTable(table)).toEqual([]);
});

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

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
  ])('a connection to %s by this very process is by the same user', async (target, host) => {
    const { server, port } = await listen(host);
    const lookup = createCallerLookup(port);
    const accepted = await acceptFrom(server, connect(port, target));

    expect(await lookup?.identify(accepted)).toBe('same_user');
  });

  test('connections that are asked about at once all get their answer', async () => {
    const { server, port } = await listen('127.0.0.1');
    const lookup = createCallerLookup(port);
    const sockets: Socket[] = [];
    for (let i = 0; i < 20; i++) sockets.push(await acceptFrom(server, connect(port, '127.0.0.1')));

    const callers = await Promise.all(sockets.map(async (socket) => lookup?.identify(socket)));

    expect(new Set(callers)).toEqual(new Set(['same_user']));
  });

  test('a caller whose row was missed by three reads is found by the fourth, and by no fifth', async () => {
    const { server, port } = await listen('127.0.0.1');
    const accepted = await acceptFrom(server, connect(port, '127.0.0.1'));
    const [local = ''] = endpointForms('127.0.0.1', accepted.remotePort ?? 0);
    const [remote = ''] = endpointForms('127.0.0.1', port);
    const row = rowOf(local, remote);
    const lookUp = async (missedReads: number) => {
      let reads = 0;
      const readTable = async (table: SocketTable) => {
        if (table === '/proc/net/tcp6') return '';
        return ++reads > missedReads ? row : '';
      };
      return { caller: await createCallerLookup(port, { readTable })?.identify(accepted), reads };
    };

    expect(await lookUp(0)).toEqual({ caller: 'same_user', reads: 1 });
    expect(await lookUp(3)).toEqual({ caller: 'same_user', reads: 4 });
    expect(await lookUp(4)).toEqual({ caller: 'unknown', reads: 4 });
  });

  // A socket of IPv6 that asked for ::ffff:127.0.0.1 is in the table of IPv6; its address says nothing of that.
  test.each<[string, string, SocketTable[]]>([
    ['127.0.0.1', '127.0.0.1', ['/proc/net/tcp']],
    ['::ffff:127.0.0.1', '127.0.0.1', ['/proc/net/tcp', '/proc/net/tcp6']],
    ['127.0.0.1', '::', ['/proc/net/tcp']],
    ['::1', '::1', ['/proc/net/tcp6']],
  ])('for a connection to %s of a server on %s no table is read but %j', async (target, host, expected) => {
    const { server, port } = await listen(host);
    const accepted = await acceptFrom(server, connect(port, target));
    const { remoteAddress = '', remotePort = 0, localAddress = '' } = accepted;
    const listed = expected.at(-1);
    const [local = '', remote = ''] = [endpointForms(remoteAddress, remotePort), endpointForms(localAddress, port)].map(
      (forms) => (listed === '/proc/net/tcp' ? [...forms].at(0) : [...forms].at(-1)),
    );
    const tables: SocketTable[] = [];
    const readTable = async (table: SocketTable) => {
      tables.push(table);
      return table === listed ? rowOf(local, remote) : '';
    };

    expect(await createCallerLookup(port, { readTable })?.identify(accepted)).toBe('same_user');
    expect(tables).toEqual(expected);
  });

  test('a connection that its client has closed is by nobody, though the kernel then says user 0', async () => {
    const { server, port } = await listen('127.0.0.1');
    const lookup = createCallerLookup(port);
    const client = connect(port, '127.0.0.1');
    const accepted = await acceptFrom(server, client);
    // Half open on our side, so that the kernel keeps the client's end for a while.
    client.destroy();
    await new Promise((closed) => accepted.once('end', closed));

    expect(await lookup?.identify(accepted)).toBe('unknown');
  });

  test('there is no lookup where the table does not show our own listener as ours', async () => {
    const { port } = await listen('127.0.0.1');
    expect(createCallerLookup(port, { uid: 4_000_000 })).toBeUndefined();
  });

  test('a process that runs as the user of all nameless users can tell nobody', async () => {
    const { port } = await listen('127.0.0.1');
    expect(createCallerLookup(port, { uid: 65_534 })).toBeUndefined();
  });
});

/** As the kernel writes the open socket of this process that has these ends. */
function rowOf(local: string, remote: string): string {
  return `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${process.getuid?.()}        0 31563 1 0\n`;
}

async function listen(host: string): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true });
  await new Promise<void>((settle) => server.listen(0, host, settle));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening on TCP');
  return { server, port: address.port };
}

async function acceptFrom(server: Server, client: Socket): Promise<Socket> {
  const accepted = await new Promise<Socket>((settle) => server.once('connection', settle));
  accepted.resume();
  onTestFinished(() => {
    client.destroy();
    accepted.destroy();
  });
  return accepted;
}
