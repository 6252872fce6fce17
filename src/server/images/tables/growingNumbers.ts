/** A list of whole numbers that grows at its end. */
export class GrowingNumbers {
  #numbers = new Uint32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#numbers.byteLength;
  }

  at(place: number): number {
    return this.#numbers[place]!;
  }

  set(place: number, number: number): void {
    if (place >= this.#numbers.length) {
      const larger = new Uint32Array(Math.max(place + 1, Math.ceil(this.#numbers.length * 1.25)));
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[place] = number;
    if (place >= this.#length) this.#length = place + 1;
  }
}
