import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import { motion } from '../../../../test/support/registrationElements.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { type Bridges, connect, type GraphOptions } from './registrationGraph.ts';
import type { Matrix4, RegistrationItem } from './registrationTasks.ts';
import { differenceMm, IDENTITY, invert, matrixOfSteps, multiply } from './rigidMotion.ts';

type Written = { readonly into: string; readonly from: string; readonly shift: number; readonly isBent?: boolean };

/** One registration for each; it turns, too, so that the order of steps matters. */
function connectAll(written: readonly Written[], options: GraphOptions = {}) {
  const registrations = written.map((one, index) => ({
    file: fileOf(index),
    record: { frameOfReferenceUid: one.into, items: [itemOf(one)], problems: [] },
  }));
  return doAtOnce(connect(registrations, options));
}

function doAtOnce<Result>(work: WorkInTurns<Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

const FILES = new Map<number, DicomFile>();
function fileOf(index: number): DicomFile {
  const file = FILES.get(index) ?? { ...createFileDescription(), index, revision: index };
  FILES.set(index, file);
  return file;
}

function itemOf({ from, shift, isBent = false }: Written): RegistrationItem {
  return { frameOfReferenceUid: from, type: 'RIGID', matrix: matrixOf(shift), deformableItem: isBent ? 0 : undefined };
}

const matrixOf = (shift: number): Matrix4 => motion(30 * shift, [shift, 2 * shift, 0]);

/** The places that the origin of one frame of reference goes to in another one, and whether there are more. */
function placesOf({ bridges, hasMore }: Bridges) {
  return { places: bridges.map(({ steps }) => matrixOfSteps(steps)!), hasMore };
}

/** All shortest ways of at most three registrations, each of which is tried: what the search must find. */
function listEveryWay(written: readonly Written[], from: string, to: string): Matrix4[] {
  let ways: { at: string; matrix: Matrix4; seen: readonly string[] }[] = [{ at: from, matrix: IDENTITY, seen: [from] }];
  for (let step = 0; step < 3; step += 1) {
    ways = ways.flatMap(({ at, matrix, seen }) =>
      written.flatMap((one) => {
        const ends = [
          { start: one.from, end: one.into, turn: matrixOf(one.shift) },
          { start: one.into, end: one.from, turn: invert(matrixOf(one.shift)) },
        ];
        return ends
          .filter(({ start, end }) => start === at && !seen.includes(end))
          .map(({ end, turn }) => ({ at: end, matrix: multiply(turn, matrix), seen: [...seen, end] }));
      }),
    );
    const arrived = ways.filter(({ at }) => at === to).map(({ matrix }) => matrix);
    if (arrived.length > 0) {
      return arrived.filter((one, at) => arrived.findIndex((other) => differenceMm(one, other) < 0.01) === at);
    }
  }
  return [];
}

const space = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');
const small = fc.array(
  fc
    .record({ into: space, from: space, shift: fc.integer({ min: 0, max: 3 }) })
    .filter(({ into, from }) => into !== from),
  { maxLength: 12 },
);

test('the search finds what trying every way finds, in both directions, whichever was asked for first', () => {
  fc.assert(
    fc.property(small, space, space, fc.boolean(), (written, from, to, isReachableFirst) => {
      fc.pre(from !== to);
      const graph = connectAll(written);
      if (isReachableFirst) graph.listReachable(from);
      const expected = listEveryWay(written, from, to);
      const { places, hasMore } = placesOf(graph.listBridges(from, to));
      expect(places).toHaveLength(Math.min(4, expected.length));
      expect(hasMore).toBe(expected.length > 4);
      for (const place of places) expect(expected.some((one) => differenceMm(one, place) < 0.001)).toBe(true);
      expect(graph.listReachable(from).includes(to)).toBe(expected.length > 0);
      // The way back is the same one.
      const back = connectAll(written).listBridges(to, from);
      expect(back.bridges.map(({ via }) => via.toReversed())).toEqual(
        graph.listBridges(from, to).bridges.map(({ via }) => via),
      );
      for (const [at, place] of placesOf(back).places.entries()) {
        expect(differenceMm(multiply(place, places[at]!), IDENTITY)).toBeLessThan(0.001);
      }
    }),
    { numRuns: 500 },
  );
});

test('ways that share a deformable registration are the same if the rigid ones before it agree', () => {
  const bent = { into: 'C', from: 'B', shift: 0, isBent: true };
  const agreeing = connectAll([{ into: 'B', from: 'A', shift: 1 }, { into: 'B', from: 'A', shift: 1 }, bent]);
  expect(agreeing.findBridges('A', 'C')).toMatchObject({
    bridges: [{ via: [{ index: 0 }, { index: 2 }] }],
    hasMore: false,
  });
  expect(connectAll([{ into: 'B', from: 'A', shift: 1 }, bent, bent]).findBridges('A', 'C').bridges).toHaveLength(2);
});

test('a registration that the user prefers decides between the ways that are listed', () => {
  const written = Array.from({ length: 6 }, (_, shift) => ({ into: 'B', from: 'A', shift }));
  expect(connectAll(written).findBridges('A', 'B')).toMatchObject({ bridges: { length: 4 }, hasMore: true });
  const preferred = connectAll(written, { preferred: new Set([2]) });
  expect(preferred.findBridges('A', 'B')).toMatchObject({ bridges: [{ via: [{ index: 2 }] }], hasMore: false });
});

test('a search takes at most four steps for each connection, whatever ways there are', () => {
  let steps = 0;
  // 16 parallel registrations of 16 frames of reference in three rows, each connected with each of the next row.
  const written = Array.from({ length: 16 }, (_, parallel) =>
    Array.from({ length: 4 }, (_row, a) =>
      Array.from({ length: 4 }, (_column, b) => [
        { into: `first ${a}`, from: 'start', shift: parallel },
        { into: `second ${b}`, from: `first ${a}`, shift: parallel },
        { into: `third ${a}`, from: `second ${b}`, shift: parallel },
      ]),
    ),
  ).flat(3);
  const graph = connectAll(written, { onStep: () => (steps += 1) });
  const reachable = graph.listReachable('start');
  expect(reachable).toHaveLength(12);
  for (const to of reachable)
    expect(graph.findBridges('start', to)).toMatchObject({ bridges: { length: 4 }, hasMore: true });

  // One search for all of them, after which nothing is searched again.
  expect(steps).toBeGreaterThan(0);
  expect(steps).toBeLessThanOrEqual(4 * written.length);
});

test('more connections than a search may take connect nothing, and the graph says so where they are', () => {
  const hub = Array.from({ length: 1_025 }, (_, at) => ({ into: 'hub', from: `leaf ${at}`, shift: 1 }));
  expect(connectAll(hub.slice(1)).listReachable('hub')).toHaveLength(1_024);
  const graph = connectAll([...hub, { into: 'A', from: 'B', shift: 1 }]);
  expect([graph.listReachable('hub'), graph.findBridges('hub', 'leaf 1').bridges]).toEqual([[], []]);
  const problem = 'more than 1024 registrations connect this frame of reference with others, directly and indirectly';
  expect([graph.findProblem('hub'), graph.findProblem('leaf 7', 'leaf 8')]).toEqual([problem, problem]);

  // Nothing connects these with the others, so they are not concerned.
  expect([graph.findProblem('A'), graph.findProblem('hub', 'A')]).toEqual([undefined, undefined]);
  expect(graph.findBridges('A', 'B').bridges).toHaveLength(1);
});

test('any number of connections is followed if few of them are connected with each other', () => {
  const written = Array.from({ length: 3_000 }, (_, patient) => [
    { into: `CT ${patient}`, from: `MR ${patient}`, shift: 1 },
    { into: `CT ${patient}`, from: `PET ${patient}`, shift: 2 },
  ]).flat();
  let steps = 0;
  const graph = connectAll(written, { onStep: () => (steps += 1) });
  for (const patient of [0, 1_500, 2_999]) {
    expect(graph.listReachable(`MR ${patient}`)).toEqual([`CT ${patient}`, `PET ${patient}`]);
    expect(graph.findBridges(`PET ${patient}`, `MR ${patient}`).bridges).toHaveLength(1);
  }
  // Two steps for each of the three searches.
  expect(steps).toBe(6);
});
