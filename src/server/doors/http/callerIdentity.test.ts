import { connect, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCallerLookup, findOwner } from './callerIdentity.ts';
import { inodeOf } from './socketHandle.ts';
import { endpointForms, parseRows, type SocketRow, type SocketTable } from './socketTable.ts';
import { needs } from '../../../../test/support/needs.ts';

// Rows as printed by Linux 5.15: both ends of a connection to port 8080. The accepted end has inode 31564.
const ROWS = parseRows(
  `   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 31563 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 31564 1 0000000000000000 20 4 30 10 -1
`,
  8080,
);

/** The rows, with a change applied to those whose local port is this one. */
function ofPort(rows: readonly SocketRow[], port: string, change: Partial<SocketRow>): SocketRow[] {
  return rows.map((row) => (row.local.endsWith(port) ? { ...row, ...change } : row));
}

describe('the owner of a connection', () => {
  const connection = {
    inode: 31_564,
    ours: endpointForms('127.0.0.1', 8080),
    theirs: endpointForms('127.0.0.1', 50_000),
  };

  test('is the owner of the opposite socket', () => {
    expect(findOwner(ROWS, connection)).toBe(1001);
  });

  test('is the same when the kernel has written the rows twice', () => {
    expect(findOwner([...ROWS, ...ROWS], connection)).toBe(1001);
  });

  test.each([
    ['our end is not in the table', ROWS.slice(0, 1)],
    ['their end is not in the table', ROWS.slice(1)],
    ['our end has another inode: it is the next connection from that port', ofPort(ROWS, ':1F90', { inode: 31_566 })],
    ['our end was closed by the other side', ofPort(ROWS, ':1F90', { state: '08' })],
    ['their end is still connecting', ofPort(ROWS, ':C350', { state: '02' })],
    ['their end is closed, which the kernel shows as user 0', ofPort(ROWS, ':C350', { inode: 0, uid: 0, state: '06' })],
    ['there are two sockets at their end', [...ROWS, ...ofPort(ROWS, ':C350', { inode: 31_570 })]],
    ['there are two sockets at our end', [...ROWS, ...ofPort(ROWS, ':1F90', { inode: 31_570 })]],
  ])('is nobody where %s', (_, rows) => {
    expect(findOwner(rows, connection)).toBeUndefined();
  });
});

describe('on Linux', needs('Linux'), () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
  ])('a connection to %s by this very process is by the same user', async (target, host) => {
    const { server, port } = await listen(host);
    const lookup = createCallerLookup(server);
    const accepted = await acceptFrom(server, connect(port, target));

    expect(await lookup?.identify(accepted)).toBe('same_user');
  });

  // A page of the table has about 27 rows; each connection takes two.
  test.each([20, 300])('%i connections that are asked about at once all get their answer', async (count) => {
    const { server, port } = await listen('127.0.0.1');
    const lookup = createCallerLookup(server);
    const sockets: Socket[] = [];
    for (let i = 0; i < count; i++) sockets.push(await acceptFrom(server, connect(port, '127.0.0.1')));

    const callers = await Promise.all(sockets.map(async (socket) => lookup?.identify(socket)));

    expect(new Set(callers)).toEqual(new Set(['same_user']));
  });

  test('all servers of a process share the thread that reads a long table', async () => {
    let started = 0;
    const count = () => (started += 1);
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    const first = await listen('127.0.0.1');
    const sockets: Socket[] = [];
    for (let i = 0; i < 150; i++) sockets.push(await acceptFrom(first.server, connect(first.port, '127.0.0.1')));
    const second = await listen('127.0.0.1');
    const other = await acceptFrom(second.server, connect(second.port, '127.0.0.1'));

    const callers = [
      await createCallerLookup(first.server)?.identify(sockets[0]!),
      await createCallerLookup(second.server)?.identify(other),
    ];

    expect(callers).toEqual(['same_user', 'same_user']);
    // None if another test of this process has started it.
    expect(started).toBeLessThanOrEqual(1);
  });

  test('a caller whose row was missed by three reads is found by the fourth, and by no fifth', async () => {
    const { server, port } = await listen('127.0.0.1');
    const accepted = await acceptFrom(server, connect(port, '127.0.0.1'));
    const [local = ''] = endpointForms('127.0.0.1', accepted.remotePort ?? 0);
    const [remote = ''] = endpointForms('127.0.0.1', port);
    const rows = rowsOf(local, remote, accepted);
    const lookUp = async (missedReads: number) => {
      let reads = 0;
      const readRows = async (table: SocketTable) => {
        if (table === '/proc/net/tcp6') return [];
        return ++reads > missedReads ? rows : [];
      };
      return { caller: await createCallerLookup(server, { readRows })?.identify(accepted), reads };
    };

    expect(await lookUp(0)).toEqual({ caller: 'same_user', reads: 1 });
    expect(await lookUp(3)).toEqual({ caller: 'same_user', reads: 4 });
    expect(await lookUp(4)).toEqual({ caller: 'unknown', reads: 4 });
  });

  // An IPv6 socket that connected to ::ffff:127.0.0.1 is in the IPv6 table, although its address does not show that.
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
    const readRows = async (table: SocketTable) => {
      tables.push(table);
      return table === listed ? rowsOf(local, remote, accepted) : [];
    };

    expect(await createCallerLookup(server, { readRows })?.identify(accepted)).toBe('same_user');
    expect(tables).toEqual(expected);
  });

  test('a connection closed by its client has no owner, although the kernel then reports user 0', async () => {
    const { server, port } = await listen('127.0.0.1');
    const lookup = createCallerLookup(server);
    const client = connect(port, '127.0.0.1');
    const accepted = await acceptFrom(server, client);
    // Half-open on the server's side, so that the kernel keeps the client's end for a while.
    client.destroy();
    await new Promise((closed) => accepted.once('end', closed));

    expect(await lookup?.identify(accepted)).toBe('unknown');
  });

  test('a connection that was reset has no owner, although the rows read just before show one', async () => {
    const { server, port } = await listen('127.0.0.1');
    const client = connect(port, '127.0.0.1');
    const accepted = await acceptFrom(server, client);
    // As with pauseOnConnect: Node does not notice the reset.
    accepted.pause();
    const [theirs = ''] = endpointForms('127.0.0.1', accepted.remotePort ?? 0);
    const [ours = ''] = endpointForms('127.0.0.1', port);
    const rows = rowsOf(theirs, ours, accepted);
    const readRows = async () => {
      client.resetAndDestroy();
      await new Promise((closed) => client.once('close', closed));
      return rows;
    };

    expect(await createCallerLookup(server, { readRows })?.identify(accepted)).toBe('unknown');
  });

  test('there is no lookup if the table does not show our listener as ours', async () => {
    const { server } = await listen('127.0.0.1');
    expect(createCallerLookup(server, { uid: 4_000_000 })).toBeUndefined();
  });

  test('a process that runs as the overflow user cannot identify callers', async () => {
    const { server } = await listen('127.0.0.1');
    expect(createCallerLookup(server, { uid: 65_534 })).toBeUndefined();
  });
});

/** Both ends of a connection of this process to itself, as a table lists them. */
function rowsOf(theirs: string, ours: string, accepted: Socket): SocketRow[] {
  const uid = process.getuid?.() ?? 0;
  return [
    { local: theirs, remote: ours, state: '01', uid, inode: 1 },
    { local: ours, remote: theirs, state: '01', uid, inode: inodeOf(accepted) ?? 0 },
  ];
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
