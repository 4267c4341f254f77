"""What single libraries need beside the environment; each module needs its library only when it is used."""
