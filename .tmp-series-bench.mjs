// bench/series.ts
import { monitorEventLoopDelay } from "node:perf_hooks";

// src/shared/geometry.ts
function buildOrientation(orientation) {
  const rowDirection = toUnitVector(orientation?.slice(0, 3));
  const columnDirection = toUnitVector(orientation?.slice(3, 6));
  if (rowDirection === void 0 || columnDirection === void 0) return void 0;
  if (Math.abs(dot(rowDirection, columnDirection)) > MAX_COSINE_OF_PERPENDICULAR) return void 0;
  return { rowDirection, columnDirection };
}
var MAX_COSINE_OF_PERPENDICULAR = 0.01;
function normalOf({ rowDirection, columnDirection }) {
  return toUnitVector(cross(rowDirection, columnDirection)) ?? [0, 0, 1];
}
function positionAlong(normal, position) {
  return dot(normal, position);
}
function hasSameOrientation(a, b, tolerance) {
  return isNear(a.rowDirection, b.rowDirection, tolerance) && isNear(a.columnDirection, b.columnDirection, tolerance);
}
function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
function subtract(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}
function lengthOf(a) {
  return Math.hypot(a[0], a[1], a[2]);
}
function toVector(numbers) {
  const [x = NaN, y = NaN, z = NaN] = numbers ?? [];
  return Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z) ? [x, y, z] : void 0;
}
function toUnitVector(numbers) {
  const vector = toVector(numbers);
  const length = vector === void 0 ? 0 : lengthOf(vector);
  if (vector === void 0 || length < 0.9 || length > 1.1) return void 0;
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}
function isNear(a, b, tolerance) {
  return a.every((component, axis) => Math.abs(component - (b[axis] ?? NaN)) <= tolerance);
}

// src/server/series/sortInSlices.ts
var STEP = 1024;
function* sortInSlices(length, compare) {
  let from = Uint32Array.from({ length }, (_, index) => index);
  for (let start = 0; start < length; start += STEP) {
    const run = [...from.subarray(start, start + STEP)];
    from.set(run.toSorted(compare), start);
    yield;
  }
  let into = new Uint32Array(from.length);
  for (let width = STEP; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length);
      const end = Math.min(start + 2 * width, length);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at += 1) {
        const takesLeft = left < middle && (right >= end || compare(from[left], from[right]) <= 0);
        into[at] = takesLeft ? from[left++] : from[right++];
        if (at % STEP === 0) yield;
      }
    }
    [from, into] = [into, from];
  }
  return from;
}

// src/server/series/frameTable.ts
function createFrameTable(length) {
  return {
    length,
    fileIndices: new Uint32Array(length),
    frameIndices: new Uint32Array(length),
    points: new Float64Array(3 * length).fill(NaN),
    orientations: Array.from({ length }),
    groups: new Uint16Array(length),
    positionsMm: new Float64Array(length).fill(NaN),
    ranks: new Float64Array(length).fill(NaN),
    times: new Float64Array(length).fill(NaN)
  };
}
function pointOf({ points }, entry) {
  return [points[3 * entry], points[3 * entry + 1], points[3 * entry + 2]];
}
function orderFrames({ length, groups, positionsMm, ranks }) {
  return sortInSlices(
    length,
    (a, b) => groups[a] - groups[b] || compareNumbers(positionsMm[a], positionsMm[b]) || compareNumbers(ranks[a], ranks[b])
  );
}
function compareNumbers(a, b) {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}
function toStackFrames(table, order) {
  return {
    length: order.length,
    fileIndices: order.map((entry) => table.fileIndices[entry]),
    frameIndices: order.map((entry) => table.frameIndices[entry]),
    positionsMm: Float64Array.from(order, (entry) => table.positionsMm[entry])
  };
}

// src/server/series/orientationGroups.ts
var SAME_DIRECTION = Math.cos(10 * Math.PI / 180);
var ORIENTATION_TOLERANCE = 1e-3;
var NO_GROUP = 65535;
function* groupOrientations(orientations) {
  const groupOf = new Uint16Array(orientations.length).fill(NO_GROUP);
  const known = /* @__PURE__ */ new Map();
  const normals = [];
  const distinct = /* @__PURE__ */ new Set();
  let planes = 0;
  for (const [entry, orientation] of orientations.entries()) {
    if (entry % 256 === 255) yield;
    if (orientation === void 0) continue;
    planes += 1;
    let group = known.get(orientation);
    if (group === void 0) {
      group = findGroup(normals, normalOf(orientation));
      known.set(orientation, group);
      distinct.add(toGridCell(orientation));
    }
    groupOf[entry] = group;
  }
  const isRadial = normals.length > 1 && distinct.size >= 4 && distinct.size >= 0.75 * planes;
  return { groupOf, normals, isRadial };
}
function findGroup(normals, normal) {
  const found = normals.findIndex((first) => dot(first, normal) >= SAME_DIRECTION);
  return found >= 0 ? found : normals.push(normal) - 1;
}
function toGridCell({ rowDirection, columnDirection }) {
  return [...rowDirection, ...columnDirection].map((part) => Math.round(part / ORIENTATION_TOLERANCE)).join();
}

// src/server/series/splitImages.ts
function* splitImages(files) {
  const onlyEcho = findOnly(files, ({ placement }) => placement?.echoNumber);
  const onlyFrameOfReference = findOnly(files, ({ frameOfReferenceUid }) => frameOfReferenceUid);
  yield;
  const lists = /* @__PURE__ */ new Map();
  let lastFile;
  let lastList = [];
  for (const [at, file] of files.entries()) {
    if (at % 512 === 511) yield;
    if (lastFile === void 0 || !isAlike(file, lastFile)) {
      const traits = [
        file.sopClassUid,
        `${file.rows}x${file.columns}x${file.samplesPerPixel}`,
        isLocalizer(file),
        file.placement?.echoNumber ?? onlyEcho,
        file.frameOfReferenceUid ?? onlyFrameOfReference
      ];
      const key = traits.join(" ");
      lastList = lists.get(key) ?? [];
      lists.set(key, lastList);
      lastFile = file;
    }
    lastList.push(file);
  }
  return [...lists.values()];
}
function isLocalizer({ placement }) {
  return placement?.imageType.split("\\").slice(2).includes("LOCALIZER") ?? false;
}
function isAlike(a, b) {
  return a.rows === b.rows && a.columns === b.columns && a.samplesPerPixel === b.samplesPerPixel && a.sopClassUid === b.sopClassUid && a.frameOfReferenceUid === b.frameOfReferenceUid && a.placement?.echoNumber === b.placement?.echoNumber && a.placement?.imageType === b.placement?.imageType;
}
function findOnly(files, valueOf) {
  const values = /* @__PURE__ */ new Set();
  for (const file of files) {
    const value = valueOf(file);
    if (value !== void 0) values.add(value);
    if (values.size > 1) return void 0;
  }
  return values.values().next().value;
}

// src/server/series/places.ts
var JITTER_MM = 0.01;
var JITTER = 0.01;
var NOTHING_MM = 1e-4;
var MOST_AT_ONE_PLACE = 64;
function* measurePlaces(table, entries) {
  const positions = Float64Array.from(entries, (entry) => table.positionsMm[entry]);
  const steps = differences(positions);
  const usualMm = lowerMedian(steps.filter((gap) => gap > JITTER_MM)) ?? lowerMedian(steps.filter((gap) => gap > NOTHING_MM));
  const sameMm = usualMm === void 0 ? JITTER_MM : Math.min(JITTER_MM, JITTER * usualMm);
  yield;
  const starts = entries.length === 0 ? [] : [0];
  for (const [at, gap] of steps.entries()) if (gap > sameMm) starts.push(at + 1);
  const positionsMm = starts.map((start) => positions[start]);
  const gapsMm = differences(positionsMm);
  yield;
  const duplicates = [];
  for (const [place, start] of starts.entries()) {
    const end = starts[place + 1] ?? entries.length;
    if (end - start > 1) yield* collectDuplicates(table, entries.subarray(start, end), { sameMm, duplicates });
  }
  return { starts, gapsMm, spacingMm: lowerMedian(gapsMm), duplicates, positionsMm };
}
function listIrregularGaps({ starts, gapsMm, spacingMm, positionsMm }) {
  if (spacingMm === void 0) return [];
  const toleranceMm = Math.max(JITTER_MM, JITTER * spacingMm);
  const isRegular = (gapMm) => Math.abs(gapMm - spacingMm) <= toleranceMm;
  const hasGrid = gapsMm.filter(isRegular).length * 2 >= gapsMm.length;
  const gaps = [];
  for (const [before, gapMm] of gapsMm.entries()) {
    if (isRegular(gapMm)) continue;
    const steps = Math.round(gapMm / spacingMm);
    const isMultiple = steps >= 2 && Math.abs(gapMm - steps * spacingMm) <= toleranceMm;
    gaps.push({
      at: starts[before + 1],
      gapMm,
      spacingMm,
      fromMm: positionsMm[before],
      toMm: positionsMm[before + 1],
      missing: hasGrid && isMultiple ? steps - 1 : 0
    });
  }
  return gaps;
}
function* collectDuplicates(table, entries, { sameMm, duplicates }) {
  const seen = /* @__PURE__ */ new Map();
  for (const [at, entry] of entries.entries()) {
    if (at % 256 === 255) yield;
    const time = table.times[entry];
    const point = pointOf(table, entry);
    const points = seen.get(time) ?? [];
    seen.set(time, points);
    if (points.some((other) => lengthOf(subtract(point, other)) <= sameMm)) duplicates.push(entry);
    else if (points.length < MOST_AT_ONE_PLACE) points.push(point);
  }
}
function differences(positions) {
  return Float64Array.from({ length: Math.max(0, positions.length - 1) }, (_, at) => positions[at + 1] - positions[at]);
}
function lowerMedian(numbers) {
  return numbers.toSorted()[Math.floor((numbers.length - 1) / 2)];
}

// src/server/series/warningTexts.ts
function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? " lies" : "s lie"}`;
}
function describeGaps({ gapMm, spacingMm, fromMm, toMm, missing }, noun) {
  const many = missing === 1 ? `1 ${noun}` : `${missing} ${noun}s`;
  const where = `between ${round(fromMm)} and ${round(toMm)} mm`;
  return `${many} may be missing ${where}, a gap of ${round(gapMm)} mm where ${round(spacingMm)} mm is usual`;
}
function describeTilt(degrees) {
  return `the positions run at ${round(degrees, 1)} degrees to the normal of the images, as with a tilted gantry`;
}
function listSome(numbers) {
  const shown = numbers.slice(0, 8).join(", ");
  return numbers.length > 8 ? `${shown} and ${numbers.length - 8} more` : shown;
}
function round(value, digits = 3) {
  return String(Number(value.toFixed(digits)));
}

// src/server/series/stackWarnings.ts
var LEAST_TILT = 0.01;
var LEAST_SHIFT_MM = 0.01;
function* inspectStack(table, order, options) {
  const planes = order.filter((entry) => table.orientations[entry] !== void 0);
  if (table.length < 2 || planes.length === 0) return [];
  yield;
  const warnings = [];
  const gaps = { irregular: /* @__PURE__ */ new Set(), missing: /* @__PURE__ */ new Set(), texts: [] };
  const duplicates = /* @__PURE__ */ new Set();
  const tilted = [];
  for (const entries of splitByGroup(table, planes)) {
    const places = yield* measurePlaces(table, entries);
    for (const entry of places.duplicates) duplicates.add(entry);
    if (!options.allowsGaps) {
      for (const gap of listIrregularGaps(places)) {
        const around = [entries[gap.at - 1], entries[gap.at]];
        for (const entry of around) gaps.irregular.add(entry);
        if (gap.missing === 0) continue;
        for (const entry of around) gaps.missing.add(entry);
        gaps.texts.push(describeGaps(gap, options.noun));
      }
    }
    const degrees = findTilt(table, entries, places);
    if (degrees !== void 0) tilted.push({ entries, degrees });
    yield;
  }
  const without = order.filter((entry) => table.orientations[entry] === void 0);
  const missing = [
    ...without.length > 0 ? [`${plural(without.length, options.noun)} of ${table.length} without a position`] : [],
    ...gaps.texts.slice(0, 3),
    ...gaps.texts.length > 3 ? [`and ${gaps.texts.length - 3} more such gaps`] : []
  ];
  if (missing.length > 0) add("missing_positions", missing.join("; "), [...without, ...gaps.missing]);
  if (duplicates.size > 0) {
    add("duplicate_positions", `${plural(duplicates.size, options.noun)} where another one lies`, duplicates);
  }
  if (gaps.irregular.size > 0) {
    const message = `the distance from one ${options.noun} to the next is not the same everywhere`;
    add("nonuniform_spacing", message, gaps.irregular);
  }
  const turned = yield* findTurned(table, planes);
  if (turned.length > 0) {
    add("inconsistent_orientation", `${plural(turned.length, options.noun)} turned against the first one`, turned);
  }
  for (const { entries, degrees } of tilted) add("gantry_tilt", describeTilt(degrees), entries);
  return warnings;
  function add(code, message, entries) {
    warnings.push({ code, message, fileIndices: listFiles(table, entries) });
  }
}
function splitByGroup({ groups }, planes) {
  const runs = [];
  let start = 0;
  for (let at = 1; at <= planes.length; at += 1) {
    if (at < planes.length && groups[planes[at]] === groups[planes[start]]) continue;
    runs.push(planes.subarray(start, at));
    start = at;
  }
  return runs;
}
function findTilt(table, entries, { starts }) {
  const first = entries[0];
  const last = entries[starts.at(-1) ?? 0];
  if (first === void 0 || last === void 0 || starts.length < 2) return void 0;
  const orientation = table.orientations[first];
  if (orientation === void 0) return void 0;
  const way = subtract(pointOf(table, last), pointOf(table, first));
  const normal = normalOf(orientation);
  const alongMm = dot(way, normal);
  const shiftMm = lengthOf(subtract(way, scale(normal, alongMm)));
  if (shiftMm <= LEAST_SHIFT_MM || shiftMm <= LEAST_TILT * Math.abs(alongMm)) return void 0;
  return Math.atan2(shiftMm, Math.abs(alongMm)) * 180 / Math.PI;
}
function scale([x, y, z], factor) {
  return [x * factor, y * factor, z * factor];
}
function* findTurned({ orientations }, planes) {
  const first = orientations[planes[0] ?? -1];
  if (first === void 0) return [];
  const alike = /* @__PURE__ */ new Map();
  const turned = [];
  for (const [at, entry] of planes.entries()) {
    if (at % 1024 === 1023) yield;
    const orientation = orientations[entry] ?? first;
    let isAlike2 = alike.get(orientation);
    if (isAlike2 === void 0) {
      isAlike2 = hasSameOrientation(first, orientation, ORIENTATION_TOLERANCE);
      alike.set(orientation, isAlike2);
    }
    if (!isAlike2) turned.push(entry);
  }
  return turned;
}
function listFiles({ fileIndices }, entries) {
  const sorted = Uint32Array.from(entries, (entry) => fileIndices[entry]).toSorted();
  return [...sorted.filter((file, at) => at === 0 || file !== sorted[at - 1])];
}

// src/server/series/imageType.ts
function imageTypeRole(imageType) {
  return imageType?.split("\\")[2] || void 0;
}
function isPyramidLevel({ placement }) {
  const role = imageTypeRole(placement?.imageType);
  return role === "VOLUME" || role === void 0 && placement?.slide?.totalRows !== void 0;
}

// src/server/series/stackDraft.ts
function ordinaryStack(first, content) {
  return {
    uid: first?.sopInstanceUid || `file-${first?.index}`,
    firstFileIndex: first?.index ?? 0,
    kind: "ordinary",
    concatenationUid: void 0,
    pyramidUid: void 0,
    imageTypeRole: void 0,
    totalPixelMatrixRows: void 0,
    totalPixelMatrixColumns: void 0,
    ...content
  };
}

// src/server/series/imageStacks.ts
function* buildImageStacks(files) {
  const stacks = [];
  const planes = createOrientations();
  for (const alike of yield* splitImages(files)) {
    const orientations = alike.map((file) => planes.of(file));
    const { groupOf, normals, isRadial } = yield* groupOrientations(orientations);
    if (isRadial) {
      stacks.push(yield* buildRadialStack(alike, orientations));
      continue;
    }
    for (const members of yield* listGroups(groupOf, normals.length)) {
      const images = members.map((entry) => alike[entry]);
      stacks.push(yield* buildStack(images, members.map((entry) => orientations[entry])));
    }
  }
  return stacks;
}
function* buildStack(images, orientations) {
  const table = yield* tabulate(images, orientations);
  const order = yield* orderFrames(table);
  const warnings = yield* inspectStack(table, order, { noun: "image", allowsGaps: false });
  return draft(images, { frames: toStackFrames(table, order), warnings });
}
function* buildRadialStack(images, orientations) {
  const table = yield* tabulate(images, orientations);
  table.positionsMm.fill(NaN);
  const order = yield* orderFrames(table);
  const message = "nearly every image has an orientation of its own; the order is that of the instance numbers";
  const fileIndices = images.map(({ index }) => index);
  return draft(images, {
    frames: toStackFrames(table, order),
    warnings: [{ code: "inconsistent_orientation", message, fileIndices }]
  });
}
function* tabulate(images, orientations) {
  const table = createFrameTable(images.length);
  const first = images.findIndex((image, entry) => orientations[entry] !== void 0 && hasPosition(image));
  const normal = normalOf(orientations[first] ?? AXIAL);
  for (const [entry, image] of images.entries()) {
    if (entry % 1024 === 1023) yield;
    table.fileIndices[entry] = image.index;
    table.ranks[entry] = parseInstanceNumber(image.instanceNumber) ?? NaN;
    table.times[entry] = image.placement?.time ?? NaN;
    const position = image.placement?.position;
    if (position === void 0 || orientations[entry] === void 0) continue;
    table.orientations[entry] = orientations[entry];
    table.points.set(position, 3 * entry);
    table.positionsMm[entry] = positionAlong(normal, pointOf(table, entry));
  }
  return table;
}
var AXIAL = { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] };
function hasPosition({ placement }) {
  return placement?.position !== void 0;
}
function parseInstanceNumber(text) {
  return /^[+-]?\d{1,12}$/.test(text) ? Number(text) : void 0;
}
function* listGroups(groupOf, count) {
  const groups = Array.from({ length: Math.max(count, 1) }, () => []);
  for (const [entry, group] of groupOf.entries()) groups[group]?.push(entry);
  yield;
  const largest = groups.reduce((most, group) => group.length > most.length ? group : most);
  const before = largest.length;
  for (const [entry, group] of groupOf.entries()) if (group === NO_GROUP) largest.push(entry);
  yield;
  if (largest.length > before) largest.sort((a, b) => a - b);
  return groups;
}
function draft(images, content) {
  const [first] = images;
  const role = imageTypeRole(first?.placement?.imageType);
  return ordinaryStack(first, { ...content, imageTypeRole: role === "LOCALIZER" ? role : void 0 });
}
function createOrientations() {
  const built = /* @__PURE__ */ new Map();
  return {
    of({ placement }) {
      const written = placement?.orientation;
      if (written === void 0) return void 0;
      if (!built.has(written)) built.set(written, buildOrientation(written));
      return built.get(written);
    }
  };
}

// src/server/http/routes/series.ts
var PIECE_LENGTH = 64 * 1024;
function* writeSeriesList(snapshot, files) {
  const around = {
    scan_complete: snapshot.scanComplete,
    geometry_complete: snapshot.geometryComplete
  };
  yield* inPieces(writeAll(snapshot.series, files));
  yield `],${JSON.stringify(around).slice(1)}`;
}
function* inPieces(texts) {
  let piece = "";
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
function* writeAll(series, files) {
  yield '{"series":[';
  for (const [at, one] of series.entries()) {
    const head = {
      id: one.id,
      study_instance_uid: one.studyInstanceUid,
      series_instance_uid: one.seriesInstanceUid,
      frame_of_reference_uids: [...one.frameOfReferenceUids]
    };
    yield `${at === 0 ? "" : ","}${JSON.stringify(head).slice(0, -1)},"stacks":[`;
    for (const [position, stack] of one.stacks.entries()) {
      if (position > 0) yield ",";
      yield* writeStack(stack, files);
    }
    yield "]}";
  }
}
function* writeStack(stack, files) {
  const head = {
    id: stack.id,
    kind: stack.kind,
    concatenation_uid: stack.concatenationUid ?? null,
    pyramid_uid: stack.pyramidUid ?? null,
    image_type_role: stack.imageTypeRole ?? null,
    total_pixel_matrix_rows: stack.totalPixelMatrixRows ?? null,
    total_pixel_matrix_columns: stack.totalPixelMatrixColumns ?? null,
    warnings: stack.warnings.map(({ code, message, fileIndices }) => ({
      code,
      message,
      file_indices: [...fileIndices]
    }))
  };
  yield `${JSON.stringify(head).slice(0, -1)},"frames":[`;
  for (let at = 0; at < stack.frames.length; at += 1) {
    yield (at === 0 ? "" : ",") + JSON.stringify(toFrameRef(stack, at, files));
  }
  yield "]}";
}
function toFrameRef({ frames }, at, files) {
  const fileIndex = frames.fileIndices[at] ?? 0;
  const file = files[fileIndex];
  const position = frames.positionsMm[at] ?? NaN;
  return {
    virtual_index: at,
    file_index: fileIndex,
    frame_index: frames.frameIndices[at] ?? 0,
    sop_instance_uid: file?.sopInstanceUid ?? "",
    instance_number: parseInstanceNumber(file?.instanceNumber ?? "") ?? null,
    position_along_normal_mm: Number.isNaN(position) ? null : position
  };
}

// src/server/series/concatenation.ts
function isPart(file) {
  return file.placement?.concatenation !== void 0;
}
function orderParts(parts) {
  return parts.toSorted((a, b) => placeOf(a) - placeOf(b));
}
function placeOf({ placement: { concatenation } }) {
  return concatenation.frameOffset ?? concatenation.number ?? 0;
}
function inspectConcatenation(parts) {
  const message = describeMissing(parts);
  if (message === void 0) return [];
  const fileIndices = parts.map(({ index }) => index).toSorted((a, b) => a - b);
  return [{ code: "incomplete_concatenation", message, fileIndices }];
}
function describeMissing(parts) {
  const numbers = new Set(parts.map(({ placement }) => placement.concatenation.number));
  const totals = parts.flatMap(({ placement }) => placement.concatenation.total ?? []);
  const known = [...numbers].flatMap((number) => number ?? []);
  const total = Math.min(Math.max(0, ...totals, ...known), MOST_PARTS);
  const missing = Array.from({ length: total }, (_, at) => at + 1).filter((number) => !numbers.has(number));
  if (missing.length > 0 && known.length > 0) return `of ${total} parts these are not here: ${listSome(missing)}`;
  return describeMissingFrames(parts);
}
var MOST_PARTS = 65535;
function describeMissingFrames(parts) {
  let next = 0;
  for (const { placement, frameCount } of parts) {
    const { frameOffset } = placement.concatenation;
    if (frameOffset === void 0) return void 0;
    if (frameOffset > next) return `frames ${next + 1} to ${frameOffset} of the whole are not here`;
    next = Math.max(next, frameOffset + frameCount);
  }
  return void 0;
}

// src/server/series/multiFrameStack.ts
function* buildMultiFrameStack(file, geometry) {
  const { table, isRadial } = yield* tabulateFrames(file, geometry);
  const order = yield* orderFrames(table);
  const frames = toStackFrames(table, order);
  if (geometry !== void 0 && "problem" in geometry) {
    const message = `where the frames lie is not known: ${geometry.problem}`;
    const warnings = [{ code: "missing_positions", message, fileIndices: [file.index] }];
    return ordinaryStack(file, { frames, warnings });
  }
  if (geometry?.isSpatial !== true) return ordinaryStack(file, { frames, warnings: [] });
  if (isRadial) {
    const message = "nearly every frame has an orientation of its own; the order is that of the file";
    const warnings = [{ code: "inconsistent_orientation", message, fileIndices: [file.index] }];
    return ordinaryStack(file, { frames, warnings });
  }
  const allowsGaps = file.objectKind === "segmentation";
  return ordinaryStack(file, { frames, warnings: yield* inspectStack(table, order, { noun: "frame", allowsGaps }) });
}
function* tabulateFrames(file, geometry) {
  const table = createFrameTable(file.frameCount);
  table.fileIndices.fill(file.index);
  for (let frame = 0; frame < table.length; frame += 1) table.frameIndices[frame] = frame;
  const places = geometry ?? placeOnlyFrame(file);
  if (places === void 0 || "problem" in places) return { table, isRadial: false };
  const planes = places.orientations.map((written) => buildOrientation(written));
  for (let frame = 0; frame < table.length; frame += 1) {
    if (frame % 1024 === 1023) yield;
    const plane = planes[places.orientationOf[frame] ?? -1];
    if (plane === void 0 || Number.isNaN(places.points[3 * frame])) continue;
    table.orientations[frame] = plane;
    table.points.set(places.points.subarray(3 * frame, 3 * frame + 3), 3 * frame);
  }
  const { groupOf, normals, isRadial } = yield* groupOrientations(table.orientations);
  if (isRadial) return { table, isRadial };
  table.groups.set(groupOf);
  for (let frame = 0; frame < table.length; frame += 1) {
    if (frame % 1024 === 1023) yield;
    const rank = places.ranks[frame] ?? NaN;
    table.ranks[frame] = rank;
    table.times[frame] = rank;
    const normal = normals[groupOf[frame]];
    if (normal !== void 0) table.positionsMm[frame] = positionAlong(normal, pointOf(table, frame));
  }
  return { table, isRadial };
}
function placeOnlyFrame({ frameCount, placement }) {
  const { position, orientation } = placement ?? {};
  if (frameCount !== 1 || position === void 0 || orientation === void 0) return void 0;
  return {
    points: Float64Array.from(position),
    orientations: [orientation],
    orientationOf: Int32Array.of(0),
    ranks: Float64Array.of(NaN),
    isSpatial: false
  };
}

// src/server/series/jointStack.ts
function* buildConcatenationStack(parts, geometryOf) {
  const ordered = orderParts(parts);
  const frames = joinFrames(ordered);
  let start = 0;
  let normal;
  for (const part of ordered) {
    const { table } = yield* tabulateFrames(part, geometryOf(part));
    for (const [frame, orientation] of table.orientations.entries()) {
      if (orientation === void 0) continue;
      normal ??= normalOf(orientation);
      frames.positionsMm[start + frame] = positionAlong(normal, pointOf(table, frame));
    }
    start += part.frameCount;
  }
  return { ...joinParts(parts, ordered), kind: "concatenation", frames };
}
function buildSlideStack(files) {
  const [first] = files;
  const parts = files.filter(isPart);
  const ordered = orderParts(parts);
  const frames = joinFrames(parts.length === 0 ? files : ordered);
  const slide = first?.placement?.slide;
  return {
    ...parts.length === 0 ? ordinaryStack(first, { frames, warnings: [] }) : joinParts(parts, ordered),
    kind: first !== void 0 && isPyramidLevel(first) ? "wsi_pyramid_level" : "wsi_companion",
    frames,
    pyramidUid: slide?.pyramidUid,
    imageTypeRole: imageTypeRole(first?.placement?.imageType),
    totalPixelMatrixRows: slide?.totalRows,
    totalPixelMatrixColumns: slide?.totalColumns
  };
}
function joinParts(parts, ordered) {
  const uid = parts[0]?.placement.concatenation.uid ?? "";
  const warnings = inspectConcatenation(ordered);
  return { ...ordinaryStack(parts[0], { frames: NO_FRAMES, warnings }), uid, concatenationUid: uid };
}
var NO_FRAMES = joinFrames([]);
function joinFrames(files) {
  const length = files.reduce((sum, { frameCount }) => sum + frameCount, 0);
  const fileIndices = new Uint32Array(length);
  const frameIndices = new Uint32Array(length);
  let start = 0;
  for (const { index, frameCount } of files) {
    fileIndices.fill(index, start, start + frameCount);
    for (let frame = 0; frame < frameCount; frame += 1) frameIndices[start + frame] = frame;
    start += frameCount;
  }
  return { length, fileIndices, frameIndices, positionsMm: new Float64Array(length).fill(NaN) };
}

// src/server/series/buildSeries.ts
function isStackable(file) {
  const hasUids = file.studyInstanceUid !== "" && file.seriesInstanceUid !== "";
  return hasUids && file.hasPixels && file.frameCount > 0 && !NO_IMAGE.has(file.objectKind);
}
var NO_IMAGE = /* @__PURE__ */ new Set([
  "real_world_value_mapping",
  "presentation_state",
  "registration",
  "structured_report",
  "key_object_selection",
  "waveform",
  "encapsulated_document"
]);
function* buildSeries(source) {
  const { studyInstanceUid, seriesInstanceUid, files, geometryOf } = source;
  const id = `${studyInstanceUid}/${seriesInstanceUid}`;
  const single = [];
  const apart = [];
  const parts = /* @__PURE__ */ new Map();
  const slides = /* @__PURE__ */ new Map();
  const frameOfReferenceUids = /* @__PURE__ */ new Set();
  for (const [at, file] of files.entries()) {
    if (at % 1024 === 1023) yield;
    if (file.frameOfReferenceUid !== void 0) frameOfReferenceUids.add(file.frameOfReferenceUid);
    if (file.objectKind === "whole_slide_microscopy") {
      gather(slides, file.placement?.concatenation?.uid ?? `file ${file.index}`, file);
    } else if (isPart(file)) gather(parts, file.placement.concatenation.uid, file);
    else if (file.frameCount === 1 && !standsAlone(file)) single.push(file);
    else apart.push(file);
  }
  const drafts = yield* buildImageStacks(single);
  for (const file of apart) drafts.push(yield* buildMultiFrameStack(file, geometryOf(file)));
  for (const joint of parts.values()) drafts.push(yield* buildConcatenationStack(joint, geometryOf));
  for (const joint of slides.values()) drafts.push(buildSlideStack(joint));
  const stacks = toStacks(id, drafts);
  return { id, studyInstanceUid, seriesInstanceUid, frameOfReferenceUids: [...frameOfReferenceUids].toSorted(), stacks };
}
function standsAlone({ objectKind, sopClassUid }) {
  return objectKind === "segmentation" || objectKind === "parametric_map" || sopClassUid === RT_DOSE_STORAGE;
}
var RT_DOSE_STORAGE = "1.2.840.10008.5.1.4.1.1.481.2";
function gather(lists, key, value) {
  const list = lists.get(key);
  if (list === void 0) lists.set(key, [value]);
  else list.push(value);
}
function toStacks(seriesId, drafts) {
  const used = /* @__PURE__ */ new Map();
  return drafts.toSorted((a, b) => a.firstFileIndex - b.firstFileIndex).map(({ uid, firstFileIndex: _, ...stack }) => {
    const copies = (used.get(uid) ?? 0) + 1;
    used.set(uid, copies);
    return { id: copies === 1 ? `${seriesId}/${uid}` : `${seriesId}/${uid}/${copies}`, ...stack };
  });
}

// src/server/series/geometryReader.ts
import { setTimeout as delay } from "node:timers/promises";

// src/shared/contract/errors.ts
var ViewerError = class extends Error {
  name = "ViewerError";
  code;
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
};

// src/server/workers/task.ts
function defineTask(name) {
  return { name };
}

// src/server/series/frameGeometry.ts
var readFrameGeometryTask = defineTask("series.readFrameGeometry");

// src/server/series/geometryReader.ts
var AT_ONCE = 4;
var TIMEOUT_MS = 3e4;
var BUSY_MS = 250;
function createGeometryReader(tasks, onRead) {
  const known = /* @__PURE__ */ new Map();
  const queue = [];
  const reading = /* @__PURE__ */ new Set();
  const closed = new AbortController();
  async function read(file) {
    const { index, realPath: path, identity, frameCount } = file;
    try {
      const options = { priority: "prefetch", timeoutMs: TIMEOUT_MS, key: `geometry ${index}`, signal: closed.signal };
      known.set(index, await tasks.run(readFrameGeometryTask, { path, identity, frameCount }, options));
    } catch (error) {
      if (closed.signal.aborted) return;
      if (error instanceof ViewerError && error.code === "decode_busy") {
        await delay(BUSY_MS, void 0, { ref: false });
        queue.push(file);
        return;
      }
      known.set(index, { problem: error instanceof ViewerError ? error.message : "the file could not be read" });
    }
    onRead(file);
  }
  async function readAll() {
    while (queue.length + reading.size > 0 && !closed.signal.aborted) {
      while (reading.size < AT_ONCE && queue.length > 0) start(queue.shift());
      await Promise.race(reading);
    }
  }
  function start(file) {
    const done = read(file).finally(() => reading.delete(done));
    reading.add(done);
  }
  return {
    want(files) {
      for (const file of files) queue.push(file);
    },
    async settle(waitMs) {
      if (queue.length + reading.size === 0) return;
      const waited = new AbortController();
      await Promise.race([readAll(), delay(waitMs, void 0, { signal: waited.signal, ref: false })]).catch(() => void 0);
      waited.abort();
    },
    isSettled: () => queue.length + reading.size === 0,
    of: ({ index }) => known.get(index),
    close: () => closed.abort()
  };
}

// src/server/series/slices.ts
var SLICE_MS = 4;
async function doInSlices(work) {
  for (; ; ) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await new Promise((resume) => setImmediate(resume));
  }
}

// src/server/series/seriesList.ts
function createSeriesList({ catalog, tasks, geometryWaitMs = 5e3 }) {
  const entries = /* @__PURE__ */ new Map();
  const changed = /* @__PURE__ */ new Set();
  const unplaced = [];
  const geometries = createGeometryReader(tasks, (file) => changed.add(entryOf(file)));
  let taken = 0;
  let sorted = [];
  let count = 0;
  let running;
  let following;
  function entryOf({ studyInstanceUid, seriesInstanceUid }) {
    const study = entries.get(studyInstanceUid) ?? /* @__PURE__ */ new Map();
    entries.set(studyInstanceUid, study);
    const known = study.get(seriesInstanceUid);
    if (known !== void 0) return known;
    const entry = { studyInstanceUid, seriesInstanceUid, files: [], built: void 0 };
    study.set(seriesInstanceUid, entry);
    count += 1;
    return entry;
  }
  function take() {
    for (; taken < catalog.files.length; taken += 1) {
      const file = catalog.files[taken];
      if (!isStackable(file)) continue;
      const entry = entryOf(file);
      entry.files.push(file);
      changed.add(entry);
      if (file.placement?.hasFrameGeometry) unplaced.push(file);
    }
  }
  async function update() {
    geometries.want(unplaced.splice(0));
    await geometries.settle(geometryWaitMs);
    const { scanComplete } = catalog.progress;
    const geometryComplete = geometries.isSettled() && unplaced.length === 0;
    const todo = [...changed];
    changed.clear();
    await doInSlices(buildAll(todo));
    if (sorted.length !== count) sorted = await sortEntries([...entries.values()].flatMap((study) => [...study.values()]));
    return { series: sorted.flatMap(({ built }) => built ?? []), scanComplete, geometryComplete };
  }
  function* buildAll(todo) {
    for (const entry of todo) {
      entry.built = yield* buildSeries({ ...entry, files: [...entry.files], geometryOf: geometries.of });
      yield;
    }
  }
  const unsubscribe = catalog.subscribe(take);
  take();
  function read() {
    if (running === void 0) {
      running = update().finally(() => {
        running = void 0;
      });
      return running;
    }
    following ??= running.catch(() => void 0).then(() => {
      following = void 0;
      return read();
    });
    return following;
  }
  return {
    read,
    close() {
      unsubscribe();
      geometries.close();
    }
  };
}
async function sortEntries(entries) {
  const order = await doInSlices(
    sortInSlices(entries.length, (a, b) => {
      const [left, right] = [entries[a], entries[b]];
      const byStudy = compareTexts(left.studyInstanceUid, right.studyInstanceUid);
      return byStudy || compareTexts(left.seriesInstanceUid, right.seriesInstanceUid);
    })
  );
  return Array.from(order, (entry) => entries[entry]);
}
function compareTexts(a, b) {
  return a < b ? -1 : Number(a > b);
}

// test/support/createFileDescription.ts
function createFileDescription(different = {}) {
  return {
    path: "/data/a.dcm",
    label: "P1 \xB7 CT \xB7 20240131",
    patientId: "P1",
    patientName: "Doe^Jane",
    studyInstanceUid: "1.2.826.1",
    studyDate: "20240131",
    studyDescription: "Chest",
    seriesInstanceUid: "1.2.826.1.1",
    seriesNumber: "1",
    seriesDescription: "Axial",
    modality: "CT",
    instanceNumber: "1",
    sopInstanceUid: "1.2.826.1.1.1",
    sopClassUid: "1.2.840.10008.5.1.4.1.1.2",
    sopClassName: "CT Image Storage",
    objectKind: "classic_image",
    supportState: "renderable",
    supportReason: void 0,
    hasPixels: true,
    frameCount: 1,
    rows: 512,
    columns: 512,
    samplesPerPixel: 1,
    bitsAllocated: 16,
    bitsStored: 12,
    photometricInterpretation: "MONOCHROME2",
    pixelAspectRatio: 1,
    pixelSpacingMm: [0.7, 0.7],
    pixelSpacingSource: "pixel_spacing",
    transferSyntaxUid: "1.2.840.10008.1.2.1",
    transferSyntaxName: "Explicit VR Little Endian",
    frameOfReferenceUid: void 0,
    defaultWindow: { center: 40, width: 400 },
    fileBytes: 526e3,
    placement: void 0,
    realPath: "/data/a.dcm",
    identity: { dev: 1, ino: 2, size: 526e3, mtimeMs: 170000000000025e-2 },
    ...different
  };
}

// bench/series.ts
var FILES = 1e5;
for (const [name, imagesInSeries] of [
  ["one series of 100,000 images", FILES],
  ["400 series of 250 images", 250],
  ["100,000 series of one image", 1]
]) {
  await measure(name, imagesInSeries);
}
async function measure(name, imagesInSeries) {
  const files = createFiles(imagesInSeries);
  const list = createSeriesList({
    catalog: { files, progress: progressOf(files), subscribe: () => () => void 0 },
    tasks: { run: () => Promise.reject(new Error("no file here has frames to place")) }
  });
  const before = process.memoryUsage().heapUsed;
  const delay2 = monitorEventLoopDelay({ resolution: 1 });
  await new Promise((resume) => setTimeout(resume, 50));
  delay2.enable();
  const started = performance.now();
  const snapshot = await list.read();
  const builtMs = performance.now() - started;
  let bytes = 0;
  let longestPieceMs = 0;
  const pieces = writeSeriesList(snapshot, files);
  for (; ; ) {
    await new Promise((resume) => setImmediate(resume));
    const begun = performance.now();
    const piece = pieces.next();
    longestPieceMs = Math.max(longestPieceMs, performance.now() - begun);
    if (piece.done === true) break;
    bytes += piece.value.length;
  }
  const totalMs = performance.now() - started;
  const again = performance.now();
  await list.read();
  const unchangedMs = performance.now() - again;
  delay2.disable();
  const heldMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  console.log(
    `${name}: built in ${builtMs.toFixed(0)} ms, written in all after ${totalMs.toFixed(0)} ms (${(bytes / 2 ** 20).toFixed(1)} MiB), the second time ${unchangedMs.toFixed(1)} ms; longest block ${(delay2.max / 1e6).toFixed(1)} ms (mark 10), longest piece ${longestPieceMs.toFixed(1)} ms, ${heldMb.toFixed(0)} MB held`
  );
}
function progressOf(files) {
  return { revision: files.length, scanned: files.length, skipped: 0, filtered: 0, scanComplete: true };
}
function createFiles(imagesInSeries) {
  const orientation = [1, 0, 0, 0, 1, 0];
  return Array.from({ length: FILES }, (_, index) => ({
    ...createFileDescription({
      path: `/data/${index}.dcm`,
      seriesInstanceUid: `2.25.1.${Math.floor(index / imagesInSeries)}`,
      sopInstanceUid: `2.25.2.${index}`,
      instanceNumber: String(index + 1),
      frameOfReferenceUid: "2.25.3",
      placement: {
        imageType: "ORIGINAL\\PRIMARY\\AXIAL",
        echoNumber: void 0,
        time: void 0,
        position: [-175, -175, index * 7919 % FILES + 0.5],
        orientation,
        hasFrameGeometry: false,
        concatenation: void 0,
        slide: void 0
      }
    }),
    index,
    revision: index + 1
  }));
}
