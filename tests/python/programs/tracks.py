"""Objects of script classes that never change: in lists and dicts, chosen by branches, recreated by loops."""
from typing import Dict, List, Optional

import torch
from torch import Tensor, nn

from case import Family, fill, whole

family = Family("tracks", opset=13)
ROWS = [(fill(3, 4), whole(2)), (fill(5, 4), whole(4)), (fill(1, 4), whole(0)), (fill(4, 4), whole(1))]


@torch.jit.script
class Track:
    def __init__(self, place: Tensor, age: int):
        self.place = place
        self.age = age

    def moved(self, by: Tensor) -> "Track":
        return Track(self.place + by, self.age + 1)

    def score(self) -> float:
        return float(self.place.sum()) + self.age


@torch.jit.script
class Guess:
    def __init__(self, track: Track, words: List[int], last: Optional[Tensor]):
        self.track = track
        self.words = words
        self.last = last


@family.on(*ROWS)
def appended(x: Tensor, n: Tensor):
    tracks: List[Track] = []
    for i in range(int(n)):
        tracks.append(Track(x[i % x.size(0)], i))
    total, ages = torch.zeros(4), 0
    for track in tracks:
        total = total + track.place * track.age
        ages += track.age
    return total, ages, len(tracks)


@family.on(*ROWS)
def picked(x: Tensor, n: Tensor):
    tracks = [Track(x[0], 0), Track(x[0] * 2, 1)]
    track = tracks[int(n) % 2]
    return track.place, track.age, track.moved(x[0]).score()


@family.on(*ROWS)
def replaced(x: Tensor, n: Tensor):
    tracks = [Track(x[0], 0), Track(x[0] * 2, 1)]
    for i in range(int(n)):
        tracks[i % 2] = tracks[i % 2].moved(x[0])
    return tracks[0].place, tracks[1].place, tracks[0].age, tracks[1].age


@family.on(*ROWS)
def best(x: Tensor, n: Tensor):
    found = Track(x[0], 0)
    for i in range(x.size(0)):
        track = Track(x[i], i)
        if track.score() > found.score():
            found = track
    return found.place, found.age


@family.on(*ROWS)
def keyed(x: Tensor, n: Tensor):
    tracks: Dict[str, Track] = {"a": Track(x[0], 1), "b": Track(x[0] * 2, 5)}
    for _ in range(int(n)):
        tracks["b"] = tracks["b"].moved(x[0])
    if int(n) > 1:
        tracks["a"] = tracks["b"]
    return tracks["a"].place, tracks["a"].age, tracks["b"].place


@family.on(*ROWS)
def perhaps(x: Tensor, n: Tensor):
    track: Optional[Track] = None
    for i in range(x.size(0)):
        if float(x[i, 0]) > 0:
            track = Track(x[i], i) if track is None else track.moved(x[i])
    if track is None:
        return torch.zeros(4), -1
    return track.place, track.age


@family.on(*ROWS)
def words_added(x: Tensor, n: Tensor):
    """Two objects share a list."""
    guess = Guess(Track(x[0], 0), [3], None)
    for i in range(int(n)):
        guess.words.append(i)
    guesses = [guess, Guess(guess.track, guess.words, x[0])]
    guesses[int(n) % 2].words.append(7)
    return torch.tensor(guess.words), len(guesses[1].words)


@family.on(*ROWS)
def written_through(x: Tensor, n: Tensor):
    """One object twice in a list, and a write to its tensor."""
    track = Track(x[0].clone(), 0)
    tracks = [track, track, Track(x[0] * 3, 1)]
    tracks[int(n) % 3].place.add_(1)
    return tracks[0].place, tracks[1].place, tracks[2].place, track.place


@family.on(*ROWS)
def until(x: Tensor, n: Tensor):
    tracks: List[Track] = []
    while len(tracks) < int(n) + 1:
        tracks.append(Track(x[len(tracks) % x.size(0)] * 2, len(tracks)))
        if tracks[-1].score() > 3:
            break
    last = tracks.pop()
    return last.place, len(tracks)


@family.on(*ROWS)
def gathered(x: Tensor, n: Tensor):
    tracks = [Track(x[i], i) for i in range(x.size(0))]
    total = torch.zeros(4)
    for i, track in enumerate(tracks):
        if i % 2 == 0:
            total = total + track.place
    return total, [track.age for track in tracks]


@family.on(*ROWS)
def exchanged(x: Tensor, n: Tensor):
    a, b = Track(x[0], 0), Track(x[-1], 1)
    for _ in range(int(n)):
        a, b = b, a.moved(x[0])
    return a.place, b.place, a.age, b.age


class Kept(nn.Module):
    """The first object is an attribute."""

    def __init__(self):
        super().__init__()
        self.first = Track(torch.ones(4), 2)

    def forward(self, x: Tensor, n: Tensor):
        track = self.first
        for _ in range(int(n)):
            track = track.moved(x[0])
        return track.place, track.age, self.first.place


family.program("Kept", Kept(), *ROWS)


@family.on(*ROWS)
def tuples_picked(x: Tensor, n: Tensor):
    pairs = [(x[0], 0), (x[0] * 2, 1)]
    pair = pairs[int(n) % 2]
    return pair[0], pair[1]


class KeptInContainers(nn.Module):
    """A list and a dict of an attribute contain objects, and a tuple contains one of them and a new one."""
    tracks: List[Track]
    by_name: Dict[str, Track]

    def __init__(self):
        super().__init__()
        self.tracks = [Track(torch.ones(4), 2), Track(torch.zeros(4), 3)]
        self.by_name = {"a": Track(torch.ones(4) * 2, 4), "b": Track(torch.ones(4) * 3, 5)}
        self.first = Track(torch.ones(4) * 4, 6)
        self.second = Track(torch.ones(4) * 5, 7)

    def forward(self, x: Tensor, n: Tensor):
        k = int(n)
        name = "a" if k > 1 else "b"
        both = [self.first, self.second][k % 2]
        pair = (self.first, Track(x[0], k))
        if k > 1:
            pair = (self.second, Track(x[0] * 2, 5))
        moved = self.tracks[k % 2].moved(x[0])
        return moved.place, self.by_name[name].moved(x[0]).place, both.place, pair[0].place + pair[1].place, pair[1].age


family.program("KeptInContainers", KeptInContainers(), *ROWS)
